// register_use_test.cc: tests which registers single instructions of both architectures use.
// Encodings are those of LLVM's assembler.
#include "binary/decode/register_use.h"

#include <gtest/gtest.h>

#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tare::decode {
namespace {

// Registers are written as in register_use.h: 0 to 31 general, v0 vector, k0 mask, F flags.
struct UseCase {
  std::string_view text;
  std::string_view code;  // hexadecimal
  std::string_view values;
  std::string_view address;
  std::string_view writes;
  std::string_view stepped;
};

constexpr auto kX86Uses = std::to_array<UseCase>({
    {"xor eax, eax", "31c0", "", "", "0 F", ""},
    {"sub rcx, rcx", "4829c9", "", "", "1 F", ""},
    {"sbb eax, eax", "19c0", "F", "", "0 F", ""},
    {"vpxor xmm3, xmm1, xmm1", "c5f1efd9", "", "", "v3", ""},
    {"xor eax, ecx", "31c8", "0 1", "", "0 F", ""},
    {"mov rax, qword ptr [rdi + 8*rcx + 16]", "488b44cf10", "", "7 1", "0", ""},
    {"mov qword ptr [rsi], rdx", "488916", "2", "6", "", ""},
    {"add qword ptr [rdi], rax", "480107", "0", "7", "F", ""},
    {"add rax, qword ptr [rbx]", "480303", "0", "3", "0 F", ""},
    {"lea rax, [rdi + rsi]", "488d0437", "7 6", "", "0", ""},
    {"mov al, cl", "88c8", "0 1", "", "0", ""},
    {"mov eax, ecx", "89c8", "1", "", "0", ""},
    {"movzx eax, cl", "0fb6c1", "1", "", "0", ""},
    {"cmovne rax, rbx", "480f45c3", "0 3 F", "", "0", ""},
    {"sete al", "0f94c0", "0 F", "", "0", ""},
    {"adc rax, rbx", "4811d8", "0 3 F", "", "0 F", ""},
    {"push rbx", "53", "3", "4", "", "4"},
    {"pop rbx", "5b", "", "4", "3", "4"},
    {"imul rax, rbx, 10", "486bc30a", "3", "", "0 F", ""},
    {"div rcx", "48f7f1", "0 2 1", "", "0 2 F", ""},
    {"addsd xmm0, xmm1", "f20f58c1", "v0 v1", "", "v0", ""},
    {"addsd xmm0, qword ptr [rdi]", "f20f5807", "v0", "7", "v0", ""},
    {"vfmadd231sd xmm0, xmm1, qword ptr [rax]", "c4e2f1b900", "v0 v1", "0", "v0", ""},
    {"cvtsi2sd xmm0, eax", "f20f2ac0", "v0 0", "", "v0", ""},
    {"movsd xmm0, qword ptr [rdi]", "f20f1007", "", "7", "v0", ""},
    {"movapd xmm2, xmm5", "660f28d5", "v5", "", "v2", ""},
    {"ucomisd xmm0, xmm1", "660f2ec1", "v0 v1", "", "F", ""},
    {"jne .+16", "750e", "F", "", "", ""},
    {"jmp rax", "ffe0", "0", "", "", ""},
    {"nop dword ptr [rax + rax]", "0f1f0400", "", "", "", ""},
    {"vaddpd zmm1 {k1}, zmm2, zmm3", "62f1ed4958cb", "v1 v2 v3 k1", "", "v1", ""},
});
constexpr auto kA64Uses = std::to_array<UseCase>({
    {"mov x0, x1", "e00301aa", "1", "", "0", ""},
    {"mov x0, #7", "e00080d2", "", "", "0", ""},
    {"movk x0, #5, lsl #16", "a000a0f2", "0", "", "0", ""},
    {"add x0, x1, #8", "20200091", "1", "", "0", ""},
    {"add sp, sp, #16", "ff430091", "31", "", "31", ""},
    {"cmp x1, #3", "3f0c00f1", "1", "", "F", ""},
    {"adds x0, x1, x2", "200002ab", "1 2", "", "0 F", ""},
    {"add x0, x1, w2, uxtw #3", "204c228b", "1 2", "", "0", ""},
    {"madd x0, x1, x2, x3", "200c029b", "1 2 3", "", "0", ""},
    {"mul x0, x1, x2", "207c029b", "1 2", "", "0", ""},
    {"csel x0, x1, x2, eq", "2000829a", "1 2 F", "", "0", ""},
    {"ccmp x0, #1, #0, ne", "001841fa", "0 F", "", "F", ""},
    {"cset w0, ne", "e0079f1a", "F", "", "0", ""},
    {"adc x0, x1, x2", "2000029a", "1 2 F", "", "0", ""},
    {"bfi x0, x1, #4, #8", "201c7cb3", "0 1", "", "0", ""},
    {"clz x0, x1", "2010c0da", "1", "", "0", ""},
    {"ldr x0, [x1, #16]", "200840f9", "", "1", "0", ""},
    {"ldr x0, [x1, x2, lsl #3]", "207862f8", "", "1 2", "0", ""},
    {"ldr x0, [x1], #8", "208440f8", "", "1", "0", "1"},
    {"ldr d0, [x1, #8]!", "208c40fc", "", "1", "v0", "1"},
    {"str x0, [x1]", "200000f9", "0", "1", "", ""},
    {"str q3, [sp, #16]", "e307803d", "v3", "31", "", ""},
    {"ldp x0, x2, [x1]", "200840a9", "", "1", "0 2", ""},
    {"stp x29, x30, [sp, #-32]!", "fd7bbea9", "29 30", "31", "", "31"},
    {"ldp q0, q1, [x0], #32", "0004c1ac", "", "0", "v0 v1", "0"},
    {"ldadd x0, x1, [x2]", "410020f8", "0", "2", "1", ""},
    {"ldxr x0, [x1]", "207c5fc8", "", "1", "0", ""},
    {"stxr w3, x0, [x1]", "207c03c8", "0", "1", "3", ""},
    {"cas x0, x1, [x2]", "417ca0c8", "0 1", "2", "0", ""},
    {"ld1 {v0.4s, v1.4s}, [x0], #32", "00a8df4c", "", "0", "v0 v1", "0"},
    {"ld1 {v0.s}[1], [x0]", "0090400d", "v0", "0", "v0", ""},
    {"ld1r {v0.4s}, [x0]", "00c8404d", "", "0", "v0", ""},
    {"fadd d0, d1, d2", "2028621e", "v1 v2", "", "v0", ""},
    {"fmadd d0, d1, d2, d3", "200c421f", "v1 v2 v3", "", "v0", ""},
    {"fmla v0.2d, v1.2d, v2.2d", "20cc624e", "v0 v1 v2", "", "v0", ""},
    {"fmla v0.2d, v1.2d, v2.d[1]", "2018c24f", "v0 v1 v2", "", "v0", ""},
    {"fadd v0.2d, v1.2d, v2.2d", "20d4624e", "v1 v2", "", "v0", ""},
    {"fneg d0, d1", "2040611e", "v1", "", "v0", ""},
    {"fmov d0, d1", "2040601e", "v1", "", "v0", ""},
    {"fmov d0, #1.0", "00106e1e", "", "", "v0", ""},
    {"fmov x0, d1", "2000669e", "v1", "", "0", ""},
    {"fmov d0, x1", "2000679e", "1", "", "v0", ""},
    {"scvtf d0, w1", "2000621e", "1", "", "v0", ""},
    {"fcvtzs w0, d1", "2000781e", "v1", "", "0", ""},
    {"fcmp d0, d1", "0020611e", "v0 v1", "", "F", ""},
    {"fcmp d0, #0.0", "0820601e", "v0", "", "F", ""},
    {"fcsel d0, d1, d2, gt", "20cc621e", "v1 v2 F", "", "v0", ""},
    {"movi v0.2d, #0", "00e4006f", "", "", "v0", ""},
    {"dup v0.2d, x1", "200c084e", "1", "", "v0", ""},
    {"umov w0, v1.s[0]", "203c040e", "v1", "", "0", ""},
    {"ins v0.d[1], x1", "201c184e", "v0 1", "", "v0", ""},
    {"addv s0, v1.4s", "20b8b14e", "v1", "", "v0", ""},
    {"shl v0.4s, v1.4s, #3", "2054234f", "v1", "", "v0", ""},
    {"add v0.4s, v1.4s, v2.4s", "2084a24e", "v1 v2", "", "v0", ""},
    {"zip1 v0.4s, v1.4s, v2.4s", "2038824e", "v1 v2", "", "v0", ""},
    {"xtn2 v0.4s, v1.2d", "2028a14e", "v0 v1", "", "v0", ""},
    {"b.ne .+8", "41000054", "F", "", "", ""},
    {"cbz x0, .+8", "400000b4", "0", "", "", ""},
    {"br x3", "60001fd6", "3", "", "", ""},
    {"adrp x0, 0x1000", "00000090", "", "", "0", ""},
    {"prfm pldl1keep, [x0]", "000080f9", "", "0", "", ""},
    {"nop", "1f2003d5", "", "", "", ""},
});

std::vector<std::byte> UsedBytes(std::string_view hexadecimal) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2) {
    bytes.push_back(
        static_cast<std::byte>(std::stoi(std::string(hexadecimal.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

RegisterSet SetOf(std::string_view text) {
  RegisterSet set;
  std::istringstream words{std::string(text)};
  std::string word;
  while (words >> word) {
    std::size_t number = kFlags;
    if (word[0] == 'v') {
      number = kVectorRegisters + std::stoul(word.substr(1));
    } else if (word[0] == 'k') {
      number = kMaskRegisters + std::stoul(word.substr(1));
    } else if (word[0] != 'F') {
      number = std::stoul(word);
    }
    set.set(number);
  }
  return set;
}

RegisterUse UseIn(Architecture architecture, std::string_view code) {
  return UseOf(architecture, UsedBytes(code), 0x1000);
}

void ExpectUse(Architecture architecture, const UseCase& one) {
  const RegisterUse use = UseIn(architecture, one.code);
  EXPECT_EQ(use.values, SetOf(one.values)) << one.text;
  EXPECT_EQ(use.address, SetOf(one.address)) << one.text;
  EXPECT_EQ(use.writes, SetOf(one.writes)) << one.text;
  EXPECT_EQ(use.stepped, SetOf(one.stepped)) << one.text;
}

TEST(RegisterUse, X86InstructionsUseTheirOperandsAndWhatTheyKeep) {
  for (const UseCase& one : kX86Uses) ExpectUse(Architecture::kX86_64, one);
}

TEST(RegisterUse, A64InstructionsUseTheirFields) {
  for (const UseCase& one : kA64Uses) ExpectUse(Architecture::kAArch64, one);
}

TEST(RegisterUse, CallsWriteCallerSavedRegistersAndKeepTheStackPointer) {
  const RegisterUse x86 = UseIn(Architecture::kX86_64, "e800000000");
  EXPECT_TRUE(x86.writes.test(0));
  EXPECT_TRUE(x86.writes.test(11));
  EXPECT_TRUE(x86.writes.test(kVectorRegisters + 15));
  EXPECT_FALSE(x86.writes.test(3));   // rbx
  EXPECT_FALSE(x86.writes.test(12));  // r12
  EXPECT_FALSE((x86.writes | x86.stepped).test(4));
  const RegisterUse a64 = UseIn(Architecture::kAArch64, "00000094");
  EXPECT_TRUE(a64.writes.test(0));
  EXPECT_TRUE(a64.writes.test(30));
  EXPECT_TRUE(a64.writes.test(kVectorRegisters + 16));
  EXPECT_FALSE(a64.writes.test(19));
  EXPECT_FALSE(a64.writes.test(kVectorRegisters + 8));
  EXPECT_FALSE((a64.writes | a64.stepped).test(31));
}

TEST(RegisterUse, MemoryOperandsNameTheirAddress) {
  const auto x86 = UseIn(Architecture::kX86_64, "488b44cf10").memory;  // mov rax, [rdi+8*rcx+16]
  ASSERT_TRUE(x86);
  EXPECT_EQ(*x86, (MemoryOperand{.base = 7, .index = 1, .scale = 8, .offset = 16}));
  const auto relative = UseIn(Architecture::kX86_64, "488b0510000000").memory;  // mov rax, [rip+16]
  ASSERT_TRUE(relative);
  EXPECT_EQ(*relative, MemoryOperand{.offset = 0x1000 + 7 + 16});
  const auto thread = UseIn(Architecture::kX86_64, "64488b042528000000").memory;  // fs:[40]
  ASSERT_TRUE(thread);
  EXPECT_TRUE(thread->thread_local_storage);
  const auto a64 = UseIn(Architecture::kAArch64, "200840f9").memory;  // ldr x0, [x1, #16]
  ASSERT_TRUE(a64);
  EXPECT_EQ(*a64, (MemoryOperand{.base = 1, .offset = 16}));
  const auto before =
      UseIn(Architecture::kAArch64, "fd7bbea9").memory;  // stp x29, x30, [sp, #-32]!
  ASSERT_TRUE(before);
  EXPECT_EQ(*before, (MemoryOperand{.base = 31, .offset = static_cast<std::uint64_t>(-32)}));
}

TEST(RegisterUse, CopiesOfWholeRegistersAreMoves) {
  EXPECT_TRUE(UseIn(Architecture::kX86_64, "89c8").moves);        // mov eax, ecx
  EXPECT_FALSE(UseIn(Architecture::kX86_64, "88c8").moves);       // mov al, cl
  EXPECT_FALSE(UseIn(Architecture::kX86_64, "01c8").moves);       // add eax, ecx
  EXPECT_TRUE(UseIn(Architecture::kAArch64, "e00301aa").moves);   // mov x0, x1
  EXPECT_FALSE(UseIn(Architecture::kAArch64, "2000018b").moves);  // add x0, x1, x1
}

TEST(RegisterUse, StringInstructionsStepTheirPointers) {
  const RegisterUse use = UseIn(Architecture::kX86_64, "48a5");  // movsq
  EXPECT_TRUE(use.stepped.test(6));
  EXPECT_TRUE(use.stepped.test(7));
  EXPECT_FALSE(use.writes.test(6));
}

TEST(RegisterUse, InvalidBytesUseNothing) {
  EXPECT_TRUE(UseIn(Architecture::kX86_64, "06").writes.none());
  EXPECT_TRUE(UseIn(Architecture::kAArch64, "ffff").writes.none());
  EXPECT_TRUE(UseIn(Architecture::kAArch64, "").values.none());
}

}  // namespace
}  // namespace tare::decode
