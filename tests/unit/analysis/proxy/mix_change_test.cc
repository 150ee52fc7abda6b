// mix_change_test.cc: tests the change of the mix of a known program.
#include "analysis/proxy/mix_change.h"

#include <gtest/gtest.h>

#include "hooked_program.h"

namespace tare::proxy {
namespace {

constexpr auto kCalls = static_cast<std::size_t>(decode::Category::kCalls);

TEST(ChangeOfMix, CountsTheCodeAndWeighsItByTheVanillaRun) {
  HookedProgram program;
  const std::string reason = program.Make("gcc -O2 -g");
  if (!reason.empty()) GTEST_SKIP() << reason;
  const MixChange change =
      ChangeOfMix(*program.vanilla, program.vanilla_run, *program.instrumented);
  EXPECT_EQ(change.vanilla, program.vanilla->code->total().categories);
  // Two hooks in each of main and Step, and in each body of Inner.
  EXPECT_GE(change.instrumented[kCalls], change.vanilla[kCalls] + 8);
  // Step, which ran a thousand times, has no call in the vanilla program, and at least two hooks.
  EXPECT_GT(change.instrumented_weighted[kCalls], change.vanilla_weighted[kCalls] + 1900);
}

// A program with itself: nothing changes, however unevenly its functions run.
TEST(ChangeOfMix, OfTheSameFileIsNone) {
  HookedProgram program;
  const std::string reason = program.Make("gcc -O2 -g");
  if (!reason.empty()) GTEST_SKIP() << reason;
  const MixChange change = ChangeOfMix(*program.vanilla, program.vanilla_run, *program.vanilla);
  EXPECT_EQ(change.vanilla, change.instrumented);
  EXPECT_EQ(change.vanilla_weighted, change.instrumented_weighted);
  EXPECT_GT(change.vanilla_weighted[kCalls], 0);
}

}  // namespace
}  // namespace tare::proxy
