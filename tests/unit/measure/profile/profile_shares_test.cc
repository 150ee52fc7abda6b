// profile_shares_test.cc: shares, ranks, caveats and the check for sampling in step.
#include "measure/profile/profile_shares.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/measure/profile/synthetic_profile.h"

namespace tare::profile {
namespace {

bool HasCaveat(const format::SampledProfile& profile, CaveatId id) {
  return std::ranges::any_of(CaveatsOf(profile),
                             [id](const Caveat& caveat) { return caveat.key == id; });
}

// Section 6.3.1: 12 of 800 samples, 8 s, 99 %. The document's normal interval is (0.39 %, 2.6 %);
// Wilson's is shifted towards the middle, as it should be for so few samples.
TEST(SharesOf, TheDocumentsExample) {
  auto profile = ProfileOf({{"x", 12}, {"y", 788}});
  profile.facts.cpu_ns = 8'000'000'000;
  const auto shares = SharesOf(profile, Part::kFunction, 0.99);
  ASSERT_TRUE(shares);
  ASSERT_EQ(shares->rows.size(), 3);
  const PartShare& x = shares->rows[1];
  EXPECT_EQ(x.function, "x");
  EXPECT_EQ(x.samples, 12);
  EXPECT_DOUBLE_EQ(x.share.Value(), 1.5);
  EXPECT_NEAR(x.share.Low(), 0.72, 0.01);
  EXPECT_NEAR(x.share.High(), 3.07, 0.01);
  EXPECT_NEAR(x.time.Value(), 0.12, 1e-12);
  EXPECT_EQ(x.share.verdict, Verdict::kValid);
}

TEST(SharesOf, CallersHaveInclusiveSamplesOnly) {
  const auto shares = SharesOf(ProfileOf({{"x", 30}, {"y", 70}}), Part::kFunction, 0.95);
  ASSERT_TRUE(shares);
  const PartShare& caller = shares->rows.back();
  EXPECT_EQ(caller.function, "main");
  EXPECT_EQ(caller.samples, 0);
  EXPECT_EQ(caller.inclusive_samples, 100);
  EXPECT_DOUBLE_EQ(caller.inclusive_share.Value(), 100);
}

TEST(SharesOf, RecursionCountsOnce) {
  auto profile = ProfileOf({{"x", 5}});
  profile.stacks[0] = {1, 1, 1, 0};
  const auto shares = SharesOf(profile, Part::kFunction, 0.95);
  ASSERT_TRUE(shares);
  EXPECT_EQ(shares->rows[0].inclusive_samples, 5);
}

TEST(SharesOf, ARowWithFewSamplesIsMarked) {
  const auto shares = SharesOf(ProfileOf({{"x", 9}, {"y", 10}}), Part::kFunction, 0.95);
  ASSERT_TRUE(shares);
  EXPECT_EQ(shares->rows[0].share.verdict, Verdict::kValid);
  EXPECT_EQ(shares->rows[1].share.verdict, Verdict::kDoubtful);
  EXPECT_EQ(shares->rows[1].time.verdict, Verdict::kDoubtful);
}

TEST(SharesOf, LinesAndBlocksAreParts) {
  auto profile = ProfileOf({{"x", 30}, {"y", 70}});
  profile.functions[2] = profile.functions[1];  // the same function, two lines and blocks
  const auto functions = SharesOf(profile, Part::kFunction, 0.95);
  const auto lines = SharesOf(profile, Part::kLine, 0.95);
  const auto blocks = SharesOf(profile, Part::kBlock, 0.95);
  ASSERT_TRUE(functions && lines && blocks);
  EXPECT_EQ(functions->rows[0].samples, 100);
  EXPECT_EQ(lines->rows[0].samples, 70);
  EXPECT_EQ(lines->rows[0].line, 12);
  EXPECT_EQ(lines->rows[0].file, "/src/program.c");
  EXPECT_EQ(blocks->rows[0].offset, 0x1000 + 128);
}

TEST(SharesOf, WithoutSamplesThereIsNoAnswer) {
  const auto shares = SharesOf(ProfileOf({}), Part::kFunction, 0.95);
  ASSERT_FALSE(shares);
  EXPECT_EQ(shares.error().kind, ErrorKind::kUnsupported);
}

TEST(CheckStep, TwoPeriodsThatAgreeAreNoAlarm) {
  EXPECT_FALSE(CheckStep(ProfileOf({{"x", 400}, {"y", 600}})).in_step);
}

TEST(CheckStep, APeriodThatSeesOneFunctionOnlyIsAnAlarm) {
  auto profile = ProfileOf({{"x", 500}, {"y", 500}});
  // The first timer always finds x; the second one finds both.
  for (auto& sample : profile.samples) {
    if (sample.timer == 0) sample.stack = 0;
  }
  const StepCheck check = CheckStep(profile);
  EXPECT_TRUE(check.in_step);
  EXPECT_DOUBLE_EQ(check.share[0] + check.share[1], 100 + 100 * (check.share[1] / 100));
  EXPECT_TRUE(HasCaveat(profile, CaveatId::kInStep));
}

TEST(CaveatsOf, TimeWithoutSamplesIsNoticed) {
  auto profile = ProfileOf({{"x", 1000}});
  EXPECT_FALSE(HasCaveat(profile, CaveatId::kUnsampledTime));
  profile.facts.cpu_ns *= 2;
  EXPECT_TRUE(HasCaveat(profile, CaveatId::kUnsampledTime));
}

TEST(CaveatsOf, LostSamplesAndCutFilesAreNoticed) {
  auto profile = ProfileOf({{"x", 1000}});
  profile.facts.lost = 3;
  profile.incomplete = "the file is cut or damaged";
  EXPECT_TRUE(HasCaveat(profile, CaveatId::kLostSamples));
  EXPECT_TRUE(HasCaveat(profile, CaveatId::kIncomplete));
}

TEST(CaveatsOf, ChainsThatBreakOffAreNoticed) {
  auto profile = ProfileOf({{"x", 1000}});
  EXPECT_EQ(BrokenChains(profile), 0);
  profile.stacks[0] = {1};
  EXPECT_EQ(BrokenChains(profile), 100);
  EXPECT_TRUE(HasCaveat(profile, CaveatId::kBrokenChains));
}

TEST(CostOf, IsTheCalibratedCostOfAllSamples) {
  auto profile = ProfileOf({{"x", 1000}});
  EXPECT_FALSE(CostOf(profile).value);
  profile.facts.sample_cost_ns = 2000;  // 2 us each, of 1 ms
  profile.facts.sample_cost_half_ns = 500;
  EXPECT_NEAR(CostOf(profile).Value(), 0.2, 1e-9);
  EXPECT_NEAR(CostOf(profile).High(), 0.25, 1e-9);
}

}  // namespace
}  // namespace tare::profile
