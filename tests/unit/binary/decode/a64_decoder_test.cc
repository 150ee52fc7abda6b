// a64_decoder_test.cc: tests encodings from the Arm Architecture Reference Manual.
#include "binary/decode/a64_decoder.h"

#include <gtest/gtest.h>

#include <cstring>

#include "binary/decode/instruction.h"

namespace tare::decode {
namespace {

constexpr std::uint64_t kAddress = 0x10000;

Instruction A64(std::uint32_t word) {
  std::byte code[4];
  std::memcpy(code, &word, sizeof(word));
  const auto decoded = Decode(Architecture::kAArch64, code, kAddress);
  EXPECT_TRUE(decoded) << std::hex << word;
  return decoded.value_or(Instruction{});
}

std::string Name(std::uint32_t word) {
  return MnemonicName(Architecture::kAArch64, A64(word).mnemonic);
}

void ExpectMemory(std::uint32_t word, const char* name, int loads, int load_bytes, int stores,
                  int store_bytes) {
  const Instruction it = A64(word);
  EXPECT_EQ(MnemonicName(Architecture::kAArch64, it.mnemonic), name);
  EXPECT_EQ(it.loads, loads) << name;
  EXPECT_EQ(it.load_bytes, load_bytes) << name;
  EXPECT_EQ(it.stores, stores) << name;
  EXPECT_EQ(it.store_bytes, store_bytes) << name;
}

TEST(A64Branches, KindsAreDistinguished) {
  EXPECT_EQ(A64(0x14000002).branch, BranchKind::kJump);          // b .+8
  EXPECT_EQ(A64(0x94000002).branch, BranchKind::kCall);          // bl .+8
  EXPECT_EQ(A64(0x54000040).branch, BranchKind::kConditional);   // b.eq .+8
  EXPECT_EQ(A64(0x54000050).branch, BranchKind::kConditional);   // bc.eq .+8
  EXPECT_EQ(A64(0xb4000040).branch, BranchKind::kConditional);   // cbz x0, .+8
  EXPECT_EQ(A64(0x35000040).branch, BranchKind::kConditional);   // cbnz w0, .+8
  EXPECT_EQ(A64(0x36080040).branch, BranchKind::kConditional);   // tbz w0, #1, .+8
  EXPECT_EQ(A64(0xb7f80040).branch, BranchKind::kConditional);   // tbnz x0, #63, .+8
  EXPECT_EQ(A64(0xd61f0200).branch, BranchKind::kIndirectJump);  // br x16
  EXPECT_EQ(A64(0xd63f0020).branch, BranchKind::kIndirectCall);  // blr x1
  EXPECT_EQ(A64(0xd73f0821).branch, BranchKind::kIndirectCall);  // blraa x1, x1
  EXPECT_EQ(A64(0xd65f03c0).branch, BranchKind::kReturn);        // ret
  EXPECT_EQ(A64(0xd65f0bff).branch, BranchKind::kReturn);        // retaa
  EXPECT_EQ(A64(0xd69f03e0).branch, BranchKind::kNone);          // eret
  EXPECT_EQ(A64(0x8b020020).branch, BranchKind::kNone);          // add x0, x1, x2
}

TEST(A64Branches, TargetsReachForwardsAndBackwards) {
  EXPECT_EQ(A64(0x14000002).target, kAddress + 8);
  EXPECT_EQ(A64(0x17ffffff).target, kAddress - 4);  // b .-4
  EXPECT_EQ(A64(0x54ffffe1).target, kAddress - 4);  // b.ne .-4
  EXPECT_EQ(A64(0x36080040).target, kAddress + 8);
  EXPECT_EQ(A64(0x360fffe0).target, kAddress - 4);  // tbz w0, #1, .-4
  EXPECT_FALSE(A64(0xd61f0200).target);
}

TEST(A64Memory, APairIsOneLoadOfBothRegisters) {
  ExpectMemory(0xa9401c06, "ldp", 1, 16, 0, 0);   // ldp x6, x7, [x0]
  ExpectMemory(0x29400440, "ldp", 1, 8, 0, 0);    // ldp w0, w1, [x2]
  ExpectMemory(0xad000440, "stp", 0, 0, 1, 32);   // stp q0, q1, [x2]
  ExpectMemory(0x69400440, "ldpsw", 1, 8, 0, 0);  // ldpsw x0, x1, [x2]
}

TEST(A64Memory, SingleRegistersHaveTheirSize) {
  ExpectMemory(0x39400041, "ldrb", 1, 1, 0, 0);   // ldrb w1, [x2]
  ExpectMemory(0x79000041, "strh", 0, 0, 1, 2);   // strh w1, [x2]
  ExpectMemory(0xb9800041, "ldrsw", 1, 4, 0, 0);  // ldrsw x1, [x2]
  ExpectMemory(0xf8636841, "ldr", 1, 8, 0, 0);    // ldr x1, [x2, x3]
  ExpectMemory(0xf85f8041, "ldur", 1, 8, 0, 0);   // ldur x1, [x2, #-8]
  ExpectMemory(0x3dc00041, "ldr", 1, 16, 0, 0);   // ldr q1, [x2]
  ExpectMemory(0xfd000041, "str", 0, 0, 1, 8);    // str d1, [x2]
  ExpectMemory(0x58000041, "ldr", 1, 8, 0, 0);    // ldr x1, .+8
}

TEST(A64Memory, StructuresMoveAllTheirRegistersAtOnce) {
  ExpectMemory(0x4c402000, "ld1", 1, 64, 0, 0);  // ld1 {v0.16b-v3.16b}, [x0]
  ExpectMemory(0x0c9f8000, "st2", 0, 0, 1, 16);  // st2 {v0.8b, v1.8b}, [x0], #16
  ExpectMemory(0x0d40c000, "ld1r", 1, 1, 0, 0);  // ld1r {v0.8b}, [x0]
  ExpectMemory(0x0d008000, "st1", 0, 0, 1, 4);   // st1 {v0.s}[0], [x0]
  ExpectMemory(0x0d008400, "st1", 0, 0, 1, 8);   // st1 {v0.d}[0], [x0]
  ExpectMemory(0x0d60a000, "ld4", 1, 16, 0, 0);  // ld4 {v0.s-v3.s}[0], [x0]
}

TEST(A64Memory, AtomicsLoadAndStoreAndExclusivesDoHalf) {
  ExpectMemory(0xc85f7c20, "ldxr", 1, 8, 0, 0);     // ldxr x0, [x1]
  ExpectMemory(0xc8027c20, "stxr", 0, 0, 1, 8);     // stxr w2, x0, [x1]
  ExpectMemory(0xb8e10002, "ldaddal", 1, 4, 1, 4);  // ldaddal w1, w2, [x0]
  ExpectMemory(0xc8e07c41, "casa", 1, 8, 1, 8);     // casa x0, x1, [x2]
  ExpectMemory(0x38208041, "swpb", 1, 1, 1, 1);     // swpb w0, w1, [x2]
  EXPECT_TRUE(A64(0xc85f7c20).atomic);
  EXPECT_TRUE(A64(0xb8e10002).atomic);
  EXPECT_FALSE(A64(0xc8dffc20).atomic);  // ldar x0, [x1]
  ExpectMemory(0xc8dffc20, "ldar", 1, 8, 0, 0);
}

TEST(A64Memory, HintsTouchNothingAndZeroingIsAStore) {
  ExpectMemory(0xf9800000, "prfm", 0, 0, 0, 0);  // prfm pldl1keep, [x0]
  EXPECT_TRUE(A64(0xf9800000).prefetch);
  ExpectMemory(0xd50b7420, "dc", 0, 0, 1, 64);  // dc zva, x0
  ExpectMemory(0xd50b7a20, "dc", 0, 0, 0, 0);   // dc cvac, x0
}

TEST(A64Memory, ScalableAccessesAreCountedFor128Bits) {
  ExpectMemory(0xa4004020, "ld1b", 1, 16, 0, 0);  // ld1b {z0.b}, p0/z, [x1, x0]
  ExpectMemory(0xe5e0e020, "st1d", 0, 0, 1, 16);  // st1d {z0.d}, p0, [x1]
  ExpectMemory(0xc5a0c020, "ld1d", 2, 16, 0, 0);  // ld1d {z0.d}, p0/z, [z1.d]
  EXPECT_TRUE(A64(0xa4004020).scalable);
  EXPECT_EQ(A64(0xa4004020).vector_bits, 0);
}

TEST(A64Memory, SeveralScalableRegistersAreOneAccess) {
  ExpectMemory(0xa0116ea6, "ld1d", 1, 32, 0, 0);    // ld1d {z6.d, z7.d}, pn11/z, [x21, x17, lsl #3]
  ExpectMemory(0xa112bf09, "ldnt1h", 1, 64, 0, 0);  // ldnt1h {z1.h, z5.h, z9.h, z13.h}, ...
  ExpectMemory(0xa0627bb2, "st1d", 0, 0, 1, 32);    // st1d {z18.d, z19.d}, pn14, [x29, #4, mul vl]
  ExpectMemory(0xa02dd3a5, "stnt1w", 0, 0, 1, 64);  // stnt1w {z4.s-z7.s}, pn12, [x29, x13, lsl #2]
}

TEST(A64Stack, PushAndPopChangeTheStackPointerWithTheAccess) {
  EXPECT_TRUE(A64(0xa9bf7bfd).stack_operation);   // stp x29, x30, [sp, #-16]!
  EXPECT_TRUE(A64(0xa8c17bfd).stack_operation);   // ldp x29, x30, [sp], #16
  EXPECT_TRUE(A64(0xf81f0ffe).stack_operation);   // str x30, [sp, #-16]!
  EXPECT_TRUE(A64(0x6dbf27e8).stack_operation);   // stp d8, d9, [sp, #-16]!
  EXPECT_TRUE(A64(0x3c9f0fe0).stack_operation);   // str q0, [sp, #-16]!
  EXPECT_FALSE(A64(0xa9007bfd).stack_operation);  // stp x29, x30, [sp]
  EXPECT_FALSE(A64(0xa9bf7c1d).stack_operation);  // stp x29, xzr, [x0, #-16]!
}

TEST(A64FloatingPoint, OperationsAreLanesTimesTwoWhenFused) {
  const struct {
    std::uint32_t word;
    const char* name;
    int operations, element, width;
  } cases[] = {
      {0x1e622820, "fadd", 1, 64, 0},     // fadd d0, d1, d2
      {0x1e222820, "fadd", 1, 32, 0},     // fadd s0, s1, s2
      {0x1f420c20, "fmadd", 2, 64, 0},    // fmadd d0, d1, d2, d3
      {0x4e62d420, "fadd", 2, 64, 128},   // fadd v0.2d, v1.2d, v2.2d
      {0x4e22cc20, "fmla", 8, 32, 128},   // fmla v0.4s, v1.4s, v2.4s
      {0x0e22cc20, "fmla", 4, 32, 64},    // fmla v0.2s, v1.2s, v2.2s
      {0x4f821020, "fmla", 8, 32, 128},   // fmla v0.4s, v1.4s, v2.s[0]
      {0x4e421420, "fadd", 8, 16, 128},   // fadd v0.8h, v1.8h, v2.8h
      {0x7e70d820, "faddp", 1, 64, 128},  // faddp d0, v1.2d
      {0x1e602020, "fcmp", 0, 64, 0},     // fcmp d1, d0
      {0x1e61c020, "fsqrt", 1, 64, 0},    // fsqrt d0, d1
  };
  for (const auto& one : cases) {
    const Instruction it = A64(one.word);
    EXPECT_EQ(Name(one.word), one.name);
    EXPECT_TRUE(it.floating_point) << one.name;
    EXPECT_EQ(it.floating_operations, one.operations) << one.name;
    EXPECT_EQ(it.element_bits, one.element) << one.name;
    EXPECT_EQ(it.vector_bits, one.width) << one.name;
    EXPECT_EQ(it.vector, one.width != 0) << one.name;
  }
}

TEST(A64FloatingPoint, MovesAndIntegersAreNone) {
  for (const std::uint32_t word : {0x1e604020U,     // fmov d0, d1
                                   0x9e660020U,     // fmov x0, d1
                                   0x4ea28420U,     // add v0.4s, v1.4s, v2.4s
                                   0xfd400041U}) {  // ldr d1, [x2]
    EXPECT_FALSE(A64(word).floating_point) << std::hex << word;
    EXPECT_EQ(A64(word).floating_operations, 0);
  }
  EXPECT_EQ(A64(0x4ea28420).vector_bits, 128);
}

TEST(A64System, ProcessorQueriesAreDetected) {
  EXPECT_TRUE(A64(0xd53b00e0).queries_processor);   // mrs x0, dczid_el0
  EXPECT_TRUE(A64(0xd53b0020).queries_processor);   // mrs x0, ctr_el0
  EXPECT_TRUE(A64(0xd5380000).queries_processor);   // mrs x0, midr_el1
  EXPECT_TRUE(A64(0xd5380600).queries_processor);   // mrs x0, id_aa64isar0_el1
  EXPECT_TRUE(A64(0xd53be040).queries_processor);   // mrs x0, cntvct_el0
  EXPECT_TRUE(A64(0xd53b2400).queries_processor);   // mrs x0, rndr
  EXPECT_TRUE(A64(0x04bf5020).queries_processor);   // rdvl x0, #1
  EXPECT_FALSE(A64(0xd53bd040).queries_processor);  // mrs x0, tpidr_el0
  EXPECT_FALSE(A64(0xd53b4400).queries_processor);  // mrs x0, fpcr
}

TEST(A64System, CallsAndPadding) {
  EXPECT_TRUE(A64(0xd4000001).system_call);   // svc #0
  EXPECT_FALSE(A64(0xd4200000).system_call);  // brk #0
  EXPECT_TRUE(A64(0xd503201f).nop);
  EXPECT_TRUE(A64(0xd503245f).nop);   // bti c
  EXPECT_FALSE(A64(0xd503203f).nop);  // yield
}

TEST(A64Names, AreThoseOfTheInstructionAndNotOfItsAlias) {
  EXPECT_EQ(Name(0xaa0103e0), "orr");     // mov x0, x1
  EXPECT_EQ(Name(0xf100001f), "subs");    // cmp x0, #0
  EXPECT_EQ(Name(0xd2800020), "movz");    // mov x0, #1
  EXPECT_EQ(Name(0xd343fc20), "ubfm");    // lsr x0, x1, #3
  EXPECT_EQ(Name(0x9b027c20), "madd");    // mul x0, x1, x2
  EXPECT_EQ(Name(0x9ac20820), "udiv");    // udiv x0, x1, x2
  EXPECT_EQ(Name(0x54000041), "b.ne");    // b.ne .+8
  EXPECT_EQ(Name(0x9e780020), "fcvtzs");  // fcvtzs x0, d1
}

TEST(A64Names, OneNameHasOneNumber) {
  EXPECT_EQ(A64(0x8b020020).mnemonic, A64(0x91000420).mnemonic);  // add (register), (immediate)
  EXPECT_EQ(MnemonicName(Architecture::kAArch64, 0), "?");
  EXPECT_EQ(MnemonicName(Architecture::kAArch64, 1U << 30), "?");
}

TEST(A64Decoder, UnallocatedWordsAndCutOnesAreRefused) {
  const auto refused = [](std::uint32_t word, std::size_t size) {
    std::byte code[4];
    std::memcpy(code, &word, sizeof(word));
    return !Decode(Architecture::kAArch64, std::span(code).first(size), 0);
  };
  EXPECT_TRUE(refused(0xffffffff, 4));
  EXPECT_TRUE(refused(0xd503201f, 3));
  EXPECT_TRUE(refused(0xd503201f, 0));
  EXPECT_FALSE(refused(0xd503201f, 4));
}

TEST(A64References, NameTheAddressAndWhetherItIsUsed) {
  EXPECT_EQ(A64(0x10000100).refers_to, kAddress + 32);  // adr x0, .+32
  EXPECT_EQ(A64(0x30000000).refers_to, kAddress + 1);   // adr x0, .+1
  EXPECT_EQ(A64(0x70ffffe0).refers_to, kAddress - 1);   // adr x0, .-1
  EXPECT_FALSE(A64(0x10000100).refers_to_data);
  EXPECT_EQ(A64(0x58000200).refers_to, kAddress + 64);  // ldr x0, .+64
  EXPECT_TRUE(A64(0x58000200).refers_to_data);
  EXPECT_EQ(A64(0x9cffffe0).refers_to, kAddress - 4);  // ldr q0, .-4
  EXPECT_TRUE(A64(0x9cffffe0).refers_to_data);
  EXPECT_EQ(A64(0xd8000200).refers_to, kAddress + 64);  // prfm pldl1keep, .+64
  EXPECT_FALSE(A64(0xd8000200).refers_to_data);
  EXPECT_FALSE(A64(0x90000000).refers_to);  // adrp x0, .
  EXPECT_FALSE(A64(0xf9400020).refers_to);  // ldr x0, [x1]
  EXPECT_FALSE(A64(0x14000002).refers_to);  // b .+8
}

TEST(A64StackPointer, IsMovedByWhatWritesIt) {
  EXPECT_TRUE(A64(0xa9bf7bfd).moves_stack_pointer);   // stp x29, x30, [sp, #-16]!
  EXPECT_TRUE(A64(0x3c9f0fe0).moves_stack_pointer);   // str q0, [sp, #-16]!
  EXPECT_TRUE(A64(0xd10083ff).moves_stack_pointer);   // sub sp, sp, #32
  EXPECT_TRUE(A64(0xcb2063ff).moves_stack_pointer);   // sub sp, sp, x0
  EXPECT_TRUE(A64(0x910003bf).moves_stack_pointer);   // mov sp, x29
  EXPECT_TRUE(A64(0x927be81f).moves_stack_pointer);   // and sp, x0, #-32
  EXPECT_FALSE(A64(0xf90007e0).moves_stack_pointer);  // str x0, [sp, #8]
  EXPECT_FALSE(A64(0xf10083ff).moves_stack_pointer);  // cmp sp, #32
  EXPECT_FALSE(A64(0x8b02003f).moves_stack_pointer);  // add xzr, x1, x2
  EXPECT_FALSE(A64(0xf84103e0).moves_stack_pointer);  // ldur x0, [sp, #16]
  EXPECT_FALSE(A64(0x910003fd).moves_stack_pointer);  // mov x29, sp
}

TEST(A64Types, OfLanesAndConversionsFollowTheWord) {
  const auto type = [](std::uint32_t word) { return OperandTypeName(OperandTypeOf(A64(word))); };
  EXPECT_EQ(type(0x1e604020), "float 64");         // fmov d0, d1
  EXPECT_EQ(type(0x1e204020), "float 32");         // fmov s0, s1
  EXPECT_EQ(type(0x1e22c020), "float 64");         // fcvt d0, s1
  EXPECT_EQ(type(0x1e624020), "float 64");         // fcvt s0, d1
  EXPECT_EQ(type(0x1ee24020), "float 32");         // fcvt s0, h1
  EXPECT_EQ(type(0x1e634020), "float 32");         // bfcvt h0, s1
  EXPECT_EQ(type(0x0e616820), "vector float 64");  // fcvtn v0.2s, v1.2d
  EXPECT_EQ(type(0x0e217820), "vector float 32");  // fcvtl v0.4s, v1.4h
  EXPECT_EQ(type(0x5ee28420), "integer 64");       // add d0, d1, d2
  EXPECT_EQ(type(0x0e033c20), "integer 8");        // umov w0, v1.b[1]
  EXPECT_EQ(type(0x2d400440), "float 32");         // ldp s0, s1, [x2]
  EXPECT_EQ(type(0xa9401c06), "integer 64");       // ldp x6, x7, [x0]
  EXPECT_EQ(type(0x48207c82), "integer 64");       // casp x0, x1, x2, x3, [x4]
}

}  // namespace
}  // namespace tare::decode
