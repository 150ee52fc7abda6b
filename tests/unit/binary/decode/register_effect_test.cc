// register_effect_test.cc: tests register effects of single instructions of both architectures.
#include "binary/decode/register_effect.h"

#include <gtest/gtest.h>

#include <vector>

namespace tare::decode {
namespace {

using Kind = RegisterEffect::Kind;

RegisterEffect X86Effect(std::initializer_list<int> bytes) {
  std::vector<std::byte> code;
  for (const int byte : bytes) code.push_back(static_cast<std::byte>(byte));
  return EffectOf(Architecture::kX86_64, code, 0x1000);
}

RegisterEffect A64Effect(std::uint32_t word) {
  return EffectOf(Architecture::kAArch64, std::as_bytes(std::span(&word, 1)), 0x1000);
}

TEST(RegisterEffect, LeaOfAPlaceIsAConstantSum) {
  const auto effect =
      X86Effect({0x48, 0x8d, 0x15, 0x48, 0x0c, 0x00, 0x00});  // lea rdx, [rip+0xc48]
  EXPECT_EQ(effect.kind, Kind::kAddress);
  EXPECT_EQ(effect.to, 2);
  EXPECT_EQ(effect.base, kNoRegister);
  EXPECT_EQ(effect.constant, 0x1000U + 7 + 0xc48);
}

TEST(RegisterEffect, LoadsStateTheirAddressAndSize) {
  const auto effect = X86Effect({0x48, 0x63, 0x04, 0xba});  // movsxd rax, [rdx+rdi*4]
  EXPECT_EQ(effect.kind, Kind::kLoad);
  EXPECT_EQ(effect.to, 0);
  EXPECT_EQ(effect.base, 2);
  EXPECT_EQ(effect.index, 7);
  EXPECT_EQ(effect.scale, 4);
  EXPECT_EQ(effect.bytes, 4);
}

TEST(RegisterEffect, IndirectBranchesLoadTheirTarget) {
  const auto effect = X86Effect({0xff, 0x50, 0x10});  // call [rax+0x10]
  EXPECT_EQ(effect.kind, Kind::kLoad);
  EXPECT_EQ(effect.to, kBranchTarget);
  EXPECT_EQ(effect.base, 0);
  EXPECT_EQ(effect.constant, 0x10U);
  EXPECT_NE(effect.also & 1, 0U);         // rax is caller-saved
  EXPECT_EQ(effect.also & (1 << 3), 0U);  // rbx is not
}

TEST(RegisterEffect, SmallWritesLeaveNothingKnown) {
  const auto effect = X86Effect({0x88, 0xc8});  // mov al, cl
  EXPECT_EQ(effect.to, kNoRegister);
  EXPECT_EQ(effect.also, 1U);
}

TEST(RegisterEffect, StoresChangeNoRegister) {
  const auto effect = X86Effect({0x48, 0x89, 0x07});  // mov [rdi], rax
  EXPECT_EQ(effect.kind, Kind::kNone);
  EXPECT_EQ(effect.also, 0U);
}

TEST(RegisterEffect, ThreadLocalMemoryIsUnknown) {
  const auto effect = X86Effect({0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0});  // mov rax, fs:[0]
  EXPECT_EQ(effect.to, kNoRegister);
  EXPECT_EQ(effect.also, 1U);
}

TEST(RegisterEffect, PagesAndOffsetsOfAArch64) {
  const auto page = A64Effect(0x90000101);  // adrp x1, 0x20000 pages on: 0x1000 + 0x20000
  EXPECT_EQ(page.kind, Kind::kConstant);
  EXPECT_EQ(page.to, 1);
  EXPECT_EQ(page.constant, 0x21000U);
  const auto add = A64Effect(0x91010020);  // add x0, x1, #0x40
  EXPECT_EQ(add.kind, Kind::kAddress);
  EXPECT_EQ(add.base, 1);
  EXPECT_EQ(add.constant, 0x40U);
}

TEST(RegisterEffect, LoadsOfAArch64) {
  const auto field = A64Effect(0xf9400822);  // ldr x2, [x1, #16]
  EXPECT_EQ(field.kind, Kind::kLoad);
  EXPECT_EQ(field.to, 2);
  EXPECT_EQ(field.base, 1);
  EXPECT_EQ(field.constant, 16U);
  EXPECT_EQ(field.bytes, 8);
  const auto element = A64Effect(0x78605821);  // ldrh w1, [x1, w0, uxtw #1]
  EXPECT_EQ(element.kind, Kind::kLoad);
  EXPECT_EQ(element.index, 0);
  EXPECT_EQ(element.scale, 2);
  EXPECT_EQ(element.bytes, 2);
  const auto stepping = A64Effect(0xf8408422);  // ldr x2, [x1], #8
  EXPECT_EQ(stepping.constant, 0U);
  EXPECT_EQ(stepping.also, 2U);
}

TEST(RegisterEffect, BranchesOfAArch64) {
  const auto jump = A64Effect(0xd61f0200);  // br x16
  EXPECT_EQ(jump.to, kBranchTarget);
  EXPECT_EQ(jump.base, 16);
  EXPECT_EQ(jump.also, 0U);
  const auto call = A64Effect(0xd63f0060);  // blr x3
  EXPECT_EQ(call.base, 3);
  EXPECT_NE(call.also, 0U);
  EXPECT_EQ(A64Effect(0xd65f03c0).to, kNoRegister);  // ret
}

TEST(RegisterEffect, VectorInstructionsChangeNoGeneralRegister) {
  EXPECT_EQ(A64Effect(0x4e20d400).also, 0U);  // fadd v0.4s, v0.4s, v0.4s
  EXPECT_EQ(A64Effect(0xfd400000).also, 0U);  // ldr d0, [x0]
  EXPECT_EQ(A64Effect(0x9e660000).also, 1U);  // fmov x0, d0
  EXPECT_EQ(A64Effect(0x9e58fc01).also, 2U);  // fcvtzs x1, d0, #1
}

// Expected registers as LLVM 19 lists the definitions of these instructions.
TEST(RegisterEffect, SystemInstructionsChangeTheirRegister) {
  EXPECT_EQ(A64Effect(0xd53bd041).also, 1U << 1);   // mrs x1, tpidr_el0
  EXPECT_EQ(A64Effect(0xd51bd041).also, 0U);        // msr tpidr_el0, x1
  EXPECT_EQ(A64Effect(0xd50320ff).also, 1U << 30);  // xpaclri
  EXPECT_EQ(A64Effect(0xd503233f).also, 1U << 30);  // paciasp
  EXPECT_EQ(A64Effect(0xd503211f).also, 1U << 17);  // pacia1716
  EXPECT_EQ(A64Effect(0xd503201f).also, 0U);        // nop
}

TEST(RegisterEffect, RareAccessesChangeStatusDataAndBase) {
  const auto changes = [](std::uint32_t word, unsigned number) {
    return (A64Effect(word).also >> number & 1) != 0;
  };
  EXPECT_TRUE(changes(0x88117c01, 17));  // stxr w17, w1, [x0]
  EXPECT_TRUE(changes(0xc87f0402, 2));   // ldxp x2, x1, [x0]
  EXPECT_TRUE(changes(0xc87f0402, 1));
  EXPECT_TRUE(changes(0x88a07c41, 0));             // cas w0, w1, [x2]
  EXPECT_TRUE(changes(0x48207c82, 1));             // casp x0, x1, x2, x3, [x4]
  EXPECT_TRUE(changes(0xf8200c20, 1));             // ldraa x0, [x1, #0]!
  EXPECT_TRUE(changes(0x19010443, 2));             // cpyfp [x3]!, [x1]!, x2!
  EXPECT_EQ(A64Effect(0x4cdf7020).also, 1U << 1);  // ld1 {v0.16b}, [x1], #16
  EXPECT_EQ(A64Effect(0x4c407020).also, 0U);       // ld1 {v0.16b}, [x1]
  EXPECT_EQ(A64Effect(0xb8210062).also, 1U << 2);  // ldadd w1, w2, [x3]
}

TEST(RegisterEffect, ANarrowMoveClearsTheUpperHalf) {
  EXPECT_EQ(A64Effect(0x12800000).constant, 0xffffffffU);  // mov w0, #-1
  EXPECT_EQ(A64Effect(0x92800000).constant, ~std::uint64_t{0});
}

TEST(RegisterEffect, StringInstructionsChangeTheirAddresses) {
  EXPECT_EQ(X86Effect({0xa6}).also, 0xc0U);        // cmpsb: rsi, rdi
  EXPECT_EQ(X86Effect({0xae}).also, 0x80U);        // scasb: rdi
  EXPECT_EQ(X86Effect({0xf2, 0xae}).also, 0x82U);  // repne scasb: rcx too
  EXPECT_EQ(X86Effect({0xa5}).also, 0xc0U);        // movsd
}

TEST(RegisterEffect, TooFewBytesHaveNone) {
  EXPECT_EQ(EffectOf(Architecture::kAArch64, {}, 0).kind, Kind::kNone);
  EXPECT_EQ(EffectOf(Architecture::kX86_64, {}, 0).kind, Kind::kNone);
}

}  // namespace
}  // namespace tare::decode
