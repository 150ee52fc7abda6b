// build_facts_test.cc: tests distances and shares of two functions whose places are known.
#include "binary/mix/build_facts.h"

#include <gtest/gtest.h>

#include "binary/mix/file_mix.h"
#include "tests/programs/build_directory.h"
#include "tests/programs/toolchain.h"

namespace tare::mix {
namespace {

// `first` calls `second` at its start and 16 bytes later; `second` begins 64 bytes after `first`.
constexpr std::string_view kX86 = R"(
.text
.globl first
.type first, @function
first:
  call second
  .fill 11, 1, 0x90
  call second
  ret
.size first, .-first
.fill 42, 1, 0xcc
.globl second
.type second, @function
second:
  addpd %xmm1, %xmm0
  addpd %xmm2, %xmm0
  addpd %xmm3, %xmm0
  addsd %xmm4, %xmm0
  paddd %xmm5, %xmm6
  ret
.size second, .-second
)";
constexpr std::string_view kA64 = R"(
.text
.globl first
.type first, @function
first:
  bl second
  nop
  nop
  nop
  bl second
  ret
.size first, .-first
.fill 10, 4, 0
.globl second
.type second, @function
second:
  fadd v0.2d, v0.2d, v1.2d
  fadd v0.2d, v0.2d, v2.2d
  fadd v0.2d, v0.2d, v3.2d
  fadd d0, d0, d4
  add v6.4s, v6.4s, v5.4s
  ret
.size second, .-second
)";

class FactsOfTwoFunctions : public ::testing::TestWithParam<decode::Architecture> {
 protected:
  void SetUp() override {
    if (const auto reason = WhyNoToolchain(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
    const bool x86 = GetParam() == decode::Architecture::kX86_64;
    directory_.Write("m.s", x86 ? kX86 : kA64);
    ASSERT_TRUE(
        directory_.Runs(CommandFor(GetParam(), "gcc -nostdlib -static -Wl,-e,first m.s -o m")));
    auto file = ReadFileMix(directory_ / "m", false, NoProgress);
    ASSERT_TRUE(file) << file.error().message;
    facts_ = FactsOf(*file->code);
  }

  BuildDirectory directory_;
  Facts facts_;
};

TEST_P(FactsOfTwoFunctions, DistancesAreThoseOfTheirPlaces) {
  const bool x86 = GetParam() == decode::Architecture::kX86_64;
  EXPECT_EQ(facts_.functions, 2u);
  EXPECT_EQ(facts_.call_sites, 2u);
  EXPECT_EQ(facts_.bytes_between_calls, 16);
  EXPECT_EQ(facts_.instructions_between_calls, x86 ? 12 : 4);
  // The median of 64 and 48.
  EXPECT_EQ(facts_.bytes_to_target, 56);
  // Both calls are of one pair. The first body has 22 bytes on x86-64 and 24 on AArch64.
  EXPECT_EQ(facts_.bytes_between_bodies, x86 ? 42 : 40);
}

// Three of four additions of floating-point numbers are packed; so is one of integers.
TEST_P(FactsOfTwoFunctions, TheVectorizationRatioIsThatOfTheirInstructions) {
  EXPECT_EQ(facts_.vectorised_float, 0.75);
  EXPECT_EQ(facts_.vectorised_all, 0.8);
}

INSTANTIATE_TEST_SUITE_P(Of, FactsOfTwoFunctions, ::testing::ValuesIn(kArchitectures));

}  // namespace
}  // namespace tare::mix
