// x86_decoder_test.cc: tests encodings from Intel's Software Developer's Manual, volume 2.
#include "binary/decode/x86_decoder.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "binary/decode/instruction.h"

namespace tare::decode {
namespace {

constexpr std::uint64_t kX86Address = 0x10000;

Instruction X86(std::initializer_list<int> bytes) {
  std::vector<std::byte> code;
  for (const int byte : bytes) code.push_back(static_cast<std::byte>(byte));
  const auto decoded = Decode(Architecture::kX86_64, code, kX86Address);
  EXPECT_TRUE(decoded);
  if (!decoded) return {};
  EXPECT_EQ(decoded->length, bytes.size());
  return *decoded;
}

std::string X86Name(const Instruction& it) {
  return MnemonicName(Architecture::kX86_64, it.mnemonic);
}

void ExpectX86Memory(const Instruction& it, const char* name, int loads, int load_bytes, int stores,
                     int store_bytes) {
  EXPECT_EQ(X86Name(it), name);
  EXPECT_EQ(it.loads, loads) << name;
  EXPECT_EQ(it.load_bytes, load_bytes) << name;
  EXPECT_EQ(it.stores, stores) << name;
  EXPECT_EQ(it.store_bytes, store_bytes) << name;
}

TEST(X86Branches, KindsAreDistinguished) {
  EXPECT_EQ(X86({0xeb, 0x02}).branch, BranchKind::kJump);                      // jmp .+4
  EXPECT_EQ(X86({0xe8, 2, 0, 0, 0}).branch, BranchKind::kCall);                // call .+7
  EXPECT_EQ(X86({0x74, 0xfe}).branch, BranchKind::kConditional);               // je .
  EXPECT_EQ(X86({0xe2, 0xfe}).branch, BranchKind::kConditional);               // loop .
  EXPECT_EQ(X86({0xe3, 0xfe}).branch, BranchKind::kConditional);               // jrcxz .
  EXPECT_EQ(X86({0xff, 0xe0}).branch, BranchKind::kIndirectJump);              // jmp rax
  EXPECT_EQ(X86({0xff, 0x25, 0, 0, 0, 0}).branch, BranchKind::kIndirectJump);  // jmp [rip]
  EXPECT_EQ(X86({0xff, 0xd0}).branch, BranchKind::kIndirectCall);              // call rax
  EXPECT_EQ(X86({0xc3}).branch, BranchKind::kReturn);                          // ret
  EXPECT_EQ(X86({0xf3, 0xc3}).branch, BranchKind::kReturn);                    // rep ret
  EXPECT_EQ(X86({0x0f, 0x44, 0xc1}).branch, BranchKind::kNone);                // cmove eax, ecx
  EXPECT_EQ(X86({0xc7, 0xf8, 0, 0, 0, 0}).branch, BranchKind::kNone);          // xbegin
}

TEST(X86Branches, TargetsReachForwardsAndBackwards) {
  EXPECT_EQ(X86({0xeb, 0x02}).target, kX86Address + 4);
  EXPECT_EQ(X86({0x74, 0xfe}).target, kX86Address);
  EXPECT_EQ(X86({0xe8, 0xfb, 0xff, 0xff, 0xff}).target, kX86Address);
  EXPECT_FALSE(X86({0xff, 0xe0}).target);
}

TEST(X86Memory, ImplicitStackTrafficCounts) {
  ExpectX86Memory(X86({0x50}), "push", 0, 0, 1, 8);              // push rax
  ExpectX86Memory(X86({0xff, 0x30}), "push", 1, 8, 1, 8);        // push [rax]
  ExpectX86Memory(X86({0x8f, 0x00}), "pop", 1, 8, 1, 8);         // pop [rax]
  ExpectX86Memory(X86({0xe8, 0, 0, 0, 0}), "call", 0, 0, 1, 8);  // call .+5
  ExpectX86Memory(X86({0xff, 0x10}), "call", 1, 8, 1, 8);        // call [rax]
  ExpectX86Memory(X86({0xc3}), "ret", 1, 8, 0, 0);               // ret
  ExpectX86Memory(X86({0xc9}), "leave", 1, 8, 0, 0);             // leave
  EXPECT_TRUE(X86({0x50}).stack_operation);
  EXPECT_TRUE(X86({0xc3}).stack_operation);
  EXPECT_FALSE(X86({0x48, 0x8b, 0x04, 0x24}).stack_operation);  // mov rax, [rsp]
}

TEST(X86Memory, ReadModifyWriteIsBoth) {
  ExpectX86Memory(X86({0x01, 0x08}), "add", 1, 4, 1, 4);  // add [rax], ecx
  ExpectX86Memory(X86({0x03, 0x08}), "add", 1, 4, 0, 0);  // add ecx, [rax]
  ExpectX86Memory(X86({0x39, 0x08}), "cmp", 1, 4, 0, 0);  // cmp [rax], ecx
  ExpectX86Memory(X86({0x89, 0x08}), "mov", 0, 0, 1, 4);  // mov [rax], ecx
  ExpectX86Memory(X86({0xf0, 0x0f, 0xb1, 0x08}), "cmpxchg", 1, 4, 1, 4);
  EXPECT_TRUE(X86({0xf0, 0x0f, 0xb1, 0x08}).atomic);
  EXPECT_FALSE(X86({0x0f, 0xb1, 0x08}).atomic);
  EXPECT_TRUE(X86({0x87, 0x08}).atomic);   // xchg [rax], ecx: implicitly locked
  EXPECT_FALSE(X86({0x87, 0xc8}).atomic);  // xchg eax, ecx
}

TEST(X86Memory, StringOperationsAreDescribedForOneIteration) {
  const auto copy = X86({0xf3, 0xa4});  // rep movsb
  ExpectX86Memory(copy, "movsb", 1, 1, 1, 1);
  EXPECT_TRUE(copy.repeated);
  EXPECT_FALSE(X86({0xa4}).repeated);
  ExpectX86Memory(X86({0xf3, 0x48, 0xab}), "stosq", 0, 0, 1, 8);
  ExpectX86Memory(X86({0xf3, 0xa6}), "cmpsb", 2, 2, 0, 0);
  EXPECT_TRUE(X86({0xf2, 0xae}).repeated);  // repne scasb
}

TEST(X86Memory, AddressesThatAreOnlyComputedAreNone) {
  ExpectX86Memory(X86({0x48, 0x8d, 0x03}), "lea", 0, 0, 0, 0);  // lea rax, [rbx]
  ExpectX86Memory(X86({0x0f, 0x1f, 0x00}), "nop", 0, 0, 0, 0);  // nop dword [rax]
  ExpectX86Memory(X86({0x0f, 0x18, 0x08}), "prefetcht0", 0, 0, 0, 0);
  ExpectX86Memory(X86({0x0f, 0xae, 0x38}), "clflush", 0, 0, 0, 0);
  EXPECT_TRUE(X86({0x0f, 0x18, 0x08}).prefetch);
  EXPECT_TRUE(X86({0x0f, 0x1f, 0x00}).nop);
  EXPECT_TRUE(X86({0xf3, 0x0f, 0x1e, 0xfa}).nop);  // endbr64
  EXPECT_FALSE(X86({0xf3, 0x90}).nop);             // pause
}

TEST(X86Memory, GathersLoadOnceForEachLaneAndBroadcastsOnce) {
  // vgatherdpd ymm0, [rax + xmm1 * 8], ymm2; vpgatherqd xmm0, [rax + ymm1 * 4], xmm2
  ExpectX86Memory(X86({0xc4, 0xe2, 0xed, 0x92, 0x04, 0xc8}), "vgatherdpd", 4, 32, 0, 0);
  ExpectX86Memory(X86({0xc4, 0xe2, 0x6d, 0x91, 0x04, 0x88}), "vpgatherqd", 4, 16, 0, 0);
  // vpgatherqd xmm0, [rax + xmm1 * 4], xmm2: two indices only
  ExpectX86Memory(X86({0xc4, 0xe2, 0x69, 0x91, 0x04, 0x88}), "vpgatherqd", 2, 8, 0, 0);
  // vfmadd132ps zmm0, zmm1, [rax]{1to16}
  ExpectX86Memory(X86({0x62, 0xf2, 0x75, 0x58, 0x98, 0x00}), "vfmadd132ps", 1, 4, 0, 0);
}

TEST(X86Memory, StateIsSavedInOneStore) {
  ExpectX86Memory(X86({0x0f, 0xae, 0x20}), "xsave", 0, 0, 1, 0);  // size depends on XCR0
  ExpectX86Memory(X86({0x0f, 0xae, 0x00}), "fxsave", 0, 0, 1, 512);
  ExpectX86Memory(X86({0x0f, 0xae, 0x28}), "xrstor", 1, 0, 0, 0);
}

TEST(X86FloatingPoint, OperationsAreLanesTimesTwoWhenFused) {
  const struct {
    Instruction it;
    const char* name;
    int operations, element, width;
  } cases[] = {
      {X86({0xf2, 0x0f, 0x58, 0xc1}), "addsd", 1, 64, 0},
      {X86({0x0f, 0x58, 0xc1}), "addps", 4, 32, 128},
      {X86({0xc5, 0xf4, 0x58, 0x00}), "vaddps", 8, 32, 256},           // ymm0, ymm1, [rax]
      {X86({0xc4, 0xe2, 0xf1, 0xb9, 0xc2}), "vfmadd231sd", 2, 64, 0},  // xmm0, xmm1, xmm2
      {X86({0x62, 0xf2, 0x75, 0x58, 0x98, 0x00}), "vfmadd132ps", 32, 32, 512},
      {X86({0xf2, 0x0f, 0x51, 0xc1}), "sqrtsd", 1, 64, 0},
      {X86({0x66, 0x0f, 0x2e, 0xc1}), "ucomisd", 0, 64, 0},
      {X86({0xf2, 0x48, 0x0f, 0x2a, 0xc0}), "cvtsi2sd", 0, 64, 0},
      {X86({0x66, 0x0f, 0x7c, 0xc1}), "haddpd", 2, 64, 128},
      {X86({0xde, 0xc1}), "faddp", 1, 80, 0},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(X86Name(one.it), one.name);
    EXPECT_TRUE(one.it.floating_point) << one.name;
    EXPECT_EQ(one.it.floating_operations, one.operations) << one.name;
    EXPECT_EQ(one.it.element_bits, one.element) << one.name;
    EXPECT_EQ(one.it.vector_bits, one.width) << one.name;
  }
}

TEST(X86FloatingPoint, MovesLogicAndShufflesAreNone) {
  const struct {
    Instruction it;
    int width;
  } cases[] = {
      {X86({0x0f, 0x28, 0x00}), 128},        // movaps xmm0, [rax]
      {X86({0xf3, 0x0f, 0x10, 0x00}), 0},    // movss xmm0, [rax]
      {X86({0xf2, 0x0f, 0x10, 0xc1}), 0},    // movsd xmm0, xmm1
      {X86({0x0f, 0x57, 0xc0}), 128},        // xorps xmm0, xmm0
      {X86({0x0f, 0xc6, 0xc1, 0x03}), 128},  // shufps
      {X86({0x66, 0x0f, 0xef, 0xc0}), 128},  // pxor
      {X86({0x0f, 0xfe, 0xc1}), 64},         // paddd mm0, mm1
      {X86({0xf2, 0xa5}), 0},                // repne movsd: the string operation
  };
  for (const auto& one : cases) {
    EXPECT_FALSE(one.it.floating_point) << X86Name(one.it);
    EXPECT_EQ(one.it.floating_operations, 0) << X86Name(one.it);
    EXPECT_EQ(one.it.vector_bits, one.width) << X86Name(one.it);
  }
}

TEST(X86Flags, TheOldStackOfFloatingPointIsMarked) {
  EXPECT_TRUE(X86({0xdd, 0x00}).x87);  // fld qword [rax]
  EXPECT_TRUE(X86({0xd9, 0x28}).x87);  // fldcw [rax]
  EXPECT_TRUE(X86({0xd9, 0x28}).fldcw);
  EXPECT_FALSE(X86({0xdd, 0x00}).fldcw);
  EXPECT_FALSE(X86({0xf2, 0x0f, 0x58, 0xc1}).x87);  // addsd
}

TEST(X86Flags, SystemCallsAndProcessorQueries) {
  EXPECT_TRUE(X86({0x0f, 0x05}).system_call);                    // syscall
  EXPECT_TRUE(X86({0xcd, 0x80}).system_call);                    // int 0x80
  EXPECT_FALSE(X86({0xcd, 0x03}).system_call);                   // int 3
  EXPECT_TRUE(X86({0x0f, 0xa2}).queries_processor);              // cpuid
  EXPECT_TRUE(X86({0x0f, 0x31}).queries_processor);              // rdtsc
  EXPECT_TRUE(X86({0x0f, 0x01, 0xf9}).queries_processor);        // rdtscp
  EXPECT_TRUE(X86({0x0f, 0x01, 0xd0}).queries_processor);        // xgetbv
  EXPECT_TRUE(X86({0x48, 0x0f, 0xc7, 0xf0}).queries_processor);  // rdrand rax
  EXPECT_FALSE(X86({0x90}).queries_processor);
}

TEST(X86References, NameTheAddressAndWhetherItIsUsed) {
  const auto load = X86({0x48, 0x8b, 0x05, 0x10, 0, 0, 0});  // mov rax, [rip + 16]
  EXPECT_EQ(load.refers_to, kX86Address + 7 + 16);
  EXPECT_TRUE(load.refers_to_data);
  const auto compare = X86({0x80, 0x3d, 0xf0, 0xff, 0xff, 0xff, 1});  // cmp byte [rip - 16], 1
  EXPECT_EQ(compare.refers_to, kX86Address + 7 - 16);
  EXPECT_TRUE(compare.refers_to_data);
  const auto address = X86({0x48, 0x8d, 0x05, 0x10, 0, 0, 0});  // lea rax, [rip + 16]
  EXPECT_EQ(address.refers_to, kX86Address + 7 + 16);
  EXPECT_FALSE(address.refers_to_data);
  EXPECT_TRUE(X86({0xff, 0x25, 0, 0, 0, 0}).refers_to_data);         // jmp [rip]
  EXPECT_FALSE(X86({0x0f, 0x18, 0x0d, 0, 0, 0, 0}).refers_to_data);  // prefetcht0 [rip]
  EXPECT_FALSE(X86({0x0f, 0x1f, 0x05, 0, 0, 0, 0}).refers_to);       // nop [rip]
  EXPECT_FALSE(X86({0x48, 0x8b, 0x43, 0x10}).refers_to);             // mov rax, [rbx + 16]
  EXPECT_FALSE(X86({0x8b, 0x04, 0x25, 0, 0x10, 0, 0}).refers_to);    // mov eax, [0x1000]
}

TEST(X86StackPointer, IsMovedByWhatWritesIt) {
  EXPECT_TRUE(X86({0x50}).moves_stack_pointer);                     // push rax
  EXPECT_TRUE(X86({0xc3}).moves_stack_pointer);                     // ret
  EXPECT_TRUE(X86({0xc9}).moves_stack_pointer);                     // leave
  EXPECT_TRUE(X86({0x48, 0x83, 0xec, 0x18}).moves_stack_pointer);   // sub rsp, 24
  EXPECT_TRUE(X86({0x48, 0x94}).moves_stack_pointer);               // xchg rax, rsp
  EXPECT_FALSE(X86({0x48, 0x83, 0xfc, 0x18}).moves_stack_pointer);  // cmp rsp, 24
  EXPECT_FALSE(X86({0x48, 0x89, 0xe5}).moves_stack_pointer);        // mov rbp, rsp
  EXPECT_FALSE(X86({0x48, 0x89, 0x04, 0x24}).moves_stack_pointer);  // mov [rsp], rax
}

TEST(X86Decoder, NonsenseAndCutInstructionsAreRefused) {
  const std::byte cut[] = {std::byte{0xe8}, std::byte{0}};
  EXPECT_FALSE(Decode(Architecture::kX86_64, cut, 0));
  const std::byte undefined[] = {std::byte{0x06}};  // push es, not in 64-bit mode
  EXPECT_FALSE(Decode(Architecture::kX86_64, undefined, 0));
  EXPECT_FALSE(Decode(Architecture::kX86_64, {}, 0));
  EXPECT_EQ(MnemonicName(Architecture::kX86_64, 0), "?");
  EXPECT_EQ(MnemonicName(Architecture::kX86_64, 1U << 30), "?");
}

}  // namespace
}  // namespace tare::decode
