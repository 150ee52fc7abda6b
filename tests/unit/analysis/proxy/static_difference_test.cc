// static_difference_test.cc: tests the causes of a known difference.
#include "analysis/proxy/static_difference.h"

#include <gtest/gtest.h>

#include "hooked_program.h"

namespace tare::proxy {
namespace {

const Amounts& PartOf(const Parts& parts, Cause cause) {
  return parts[static_cast<std::size_t>(cause)];
}

Amounts Sum(const Parts& parts) {
  Amounts sum;
  for (const auto& part : parts) sum += part;
  return sum;
}

const FunctionDifference* FindDifference(const StaticDifference& difference, std::string_view name,
                                         bool own = true) {
  for (const auto& one : difference.functions)
    if (one.function == name && one.object.empty() == own) return &one;
  return nullptr;
}

class Difference : public ::testing::TestWithParam<std::string> {
 protected:
  void Make(std::string_view source = kHooked) {
    reason_ = program_.Make(GetParam(), source);
    if (!reason_.empty()) return;
    auto made = Differ(*program_.vanilla, program_.vanilla_run, *program_.instrumented,
                       program_.instrumented_run);
    ASSERT_TRUE(made) << made.error().message;
    difference_ = std::move(*made);
  }

  HookedProgram program_;
  std::string reason_;
  StaticDifference difference_;
};

TEST_P(Difference, PartsAddUpToWhatWasCounted) {
  Make();
  if (!reason_.empty()) GTEST_SKIP() << reason_;
  Amounts functions;
  for (const auto& one : difference_.functions) {
    EXPECT_EQ(Sum(one.parts), one.Difference()) << one.function;
    functions += one.Difference();
  }
  EXPECT_EQ(Sum(difference_.parts), difference_.Difference());
  EXPECT_EQ(functions, difference_.Difference());
  const auto counted =
      static_cast<std::int64_t>(program_.vanilla_run.total[count::Metric::kInstructions]);
  EXPECT_EQ(difference_.vanilla.instructions, counted);
  EXPECT_GT(difference_.Difference().instructions, 0);
}

TEST_P(Difference, EveryCallOfAHookIsSeen) {
  Make();
  if (!reason_.empty()) GTEST_SKIP() << reason_;
  EXPECT_EQ(difference_.hook_calls, static_cast<std::int64_t>(2 * kHookedCalls));
  const Amounts& calls = PartOf(difference_.parts, Cause::kHookCalls);
  EXPECT_EQ(calls.instructions, difference_.hook_calls);
  // The C library's hook returns immediately; its stub has 4 or 1 instructions with one load.
  const auto* hook = FindDifference(difference_, "__cyg_profile_func_enter@plt");
  ASSERT_NE(hook, nullptr);
  EXPECT_EQ(hook->instrumented.loads, static_cast<std::int64_t>(kHookedCalls));
  EXPECT_GE(PartOf(difference_.parts, Cause::kHookCode).instructions, 2 * difference_.hook_calls);
}

TEST_P(Difference, CodeAroundHooksBelongsToTheirFunctions) {
  Make();
  if (!reason_.empty()) GTEST_SKIP() << reason_;
  const auto* step = FindDifference(difference_, "Step");
  ASSERT_NE(step, nullptr);
  EXPECT_TRUE(step->in_vanilla && step->in_instrumented);
  EXPECT_GE(step->hook_sites, 2);
  EXPECT_GT(step->instrumented_code.instructions, step->vanilla_code.instructions);
  // It loads `kept` twice per call in both programs.
  EXPECT_GE(step->vanilla.loads, 2000);
  const Amounts around = PartOf(difference_.parts, Cause::kAround);
  const Amounts inlining = PartOf(difference_.parts, Cause::kInlining);
  EXPECT_GT(around.instructions + inlining.instructions, 0);
}

TEST_P(Difference, AProgramDoesNotDifferFromItself) {
  Make();
  if (!reason_.empty()) GTEST_SKIP() << reason_;
  const auto same =
      Differ(*program_.vanilla, program_.vanilla_run, *program_.vanilla, program_.vanilla_run);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->Difference(), Amounts{});
  EXPECT_EQ(same->hook_calls, 0);
  for (const auto& part : same->parts) EXPECT_EQ(part, Amounts{});
}

// With its hooks it is larger than what -O2 inlines.
constexpr std::string_view kLosesInlining = R"(
int table[64];
static int Deep(int value) { return table[value & 63] ^ value; }
static int Inner(int value) { return Deep(value) + Deep(value + 1) + Deep(value + 2); }
__attribute__((noinline)) int First(int value) { return Inner(value); }
__attribute__((noinline)) int Second(int value) { return Inner(value) * 3; }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 1000; ++i) sum += First(i) + Second(sum);
  return sum == 1;
}
)";

TEST_P(Difference, AFunctionThatOnlyTheInstrumentedProgramHasIsLostInlining) {
  Make(kLosesInlining);
  if (!reason_.empty()) GTEST_SKIP() << reason_;
  EXPECT_EQ(Sum(difference_.parts), difference_.Difference());
  const auto* inner = FindDifference(difference_, "Inner");
  if (inner == nullptr) GTEST_SKIP() << "this compiler inlines it with its hooks too";
  EXPECT_FALSE(inner->in_vanilla);
  EXPECT_GT(PartOf(inner->parts, Cause::kInlining).instructions, 0);
  EXPECT_EQ(PartOf(inner->parts, Cause::kAround), Amounts{});
  // Its body was inlined there.
  const auto* first = FindDifference(difference_, "First");
  ASSERT_NE(first, nullptr);
  EXPECT_NE(PartOf(first->parts, Cause::kInlining), Amounts{});
}

INSTANTIATE_TEST_SUITE_P(Of, Difference,
                         ::testing::Values("gcc -O2 -g", "clang-19 -O2 -g -gdwarf-4", "gcc -O2"));

TEST(StaticDifference, CausesHaveNames) {
  EXPECT_EQ(TextOf(Cause::kHookCalls).id, "hook calls");
  EXPECT_EQ(TextOf(Cause::kRest).id, "rest");
}

TEST(StaticDifference, ABadPatternIsRefused) {
  const BuildDirectory directory;
  directory.Write("m.c", "int main(void) { return 0; }");
  if (!directory.Runs("gcc m.c -o m")) GTEST_SKIP() << "no gcc";
  const auto file = mix::ReadFileMix(directory / "m", false, NoProgress);
  ASSERT_TRUE(file);
  const auto made = Differ(*file, {}, *file, {}, "(");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace tare::proxy
