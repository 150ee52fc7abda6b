// profile_plan_test.cc: exercise 7 of the document, and differences between profiles.
#include "measure/profile/profile_plan.h"

#include <gtest/gtest.h>

#include "measure/profile/profile_diff.h"
#include "measure/profile/take_profile.h"
#include "stats/distribution.h"
#include "tests/unit/measure/profile/synthetic_profile.h"

namespace tare::profile {
namespace {

// Exercise 7: 12 subroutines, each at least 5 % of 30 s, 99 % chance of 10 samples each.
TEST(PlanSamples, ExerciseSeven) {
  const auto plan = PlanSamples(
      {.share = 0.05, .samples = 10, .chance = 0.99, .parts = 12, .seconds = 30, .frequency = {}});
  ASSERT_TRUE(plan);
  const auto samples = static_cast<double>(plan->samples);
  EXPECT_GE(stats::BinomialAtLeast(10, samples, 0.05), 0.99);
  EXPECT_LT(stats::BinomialAtLeast(10, samples - 1, 0.05), 0.99);
  EXPECT_NEAR(*plan->period_seconds, 30 / samples, 1e-12);
  // By summing the terms of the binomial distribution in exact arithmetic.
  EXPECT_EQ(plan->samples, 371);
  EXPECT_EQ(plan->samples_together, 452);
  const auto together = static_cast<double>(plan->samples_together);
  EXPECT_GE(12 * (1 - stats::BinomialAtLeast(10, together, 0.05)), 0);
  EXPECT_LE(12 * (1 - stats::BinomialAtLeast(10, together, 0.05)), 0.01);
  EXPECT_GT(plan->samples_together, plan->samples);
}

TEST(PlanSamples, AFrequencyGivesTheDuration) {
  const auto plan = PlanSamples(
      {.share = 0.01, .samples = 10, .chance = 0.99, .parts = 1, .seconds = {}, .frequency = 1000});
  ASSERT_TRUE(plan);
  EXPECT_NEAR(*plan->duration_seconds, static_cast<double>(plan->samples) / 1000, 1e-12);
  EXPECT_FALSE(plan->period_seconds);
  EXPECT_FALSE(PlanSamples({.share = 0, .seconds = {}, .frequency = {}}));
}

TEST(CompareProfiles, AClearChangeIsSignificant) {
  const auto diff = CompareProfiles(ProfileOf({{"x", 500}, {"y", 300}, {"z", 200}}),
                                    ProfileOf({{"x", 300}, {"y", 500}, {"z", 200}}), 0.95);
  ASSERT_TRUE(diff);
  EXPECT_EQ(diff->significant, 2);
  EXPECT_TRUE(diff->functions[0].significant);
  EXPECT_NEAR(std::abs(diff->functions[0].share_change.Value()), 20, 1e-9);
  EXPECT_EQ(diff->functions[2].function, "z");
  EXPECT_FALSE(diff->functions[2].significant);
  EXPECT_TRUE(diff->functions[2].share_change.Contains(0));
}

TEST(CompareProfiles, AFunctionThatDisappearedIsFound) {
  const auto diff =
      CompareProfiles(ProfileOf({{"x", 500}, {"y", 500}}), ProfileOf({{"x", 1000}}), 0.95);
  ASSERT_TRUE(diff);
  EXPECT_EQ(diff->significant, 2);
}

TEST(AddSamples, OfTheSameConditionsAreAdded) {
  auto profile = ProfileOf({{"x", 50}, {"y", 50}});
  ASSERT_TRUE(AddSamples(profile, ProfileOf({{"x", 30}, {"z", 70}})));
  EXPECT_EQ(profile.samples.size(), 200);
  EXPECT_EQ(profile.facts.runs, 2);
  EXPECT_EQ(profile.facts.cpu_ns, 200'000'000);
}

TEST(AddSamples, OfAnotherBuildAreRefused) {
  auto profile = ProfileOf({{"x", 50}});
  auto other = ProfileOf({{"x", 50}});
  other.objects[0].build_id = "def";
  const auto added = AddSamples(profile, other);
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().message.find("build of /bin/program"), std::string::npos);
  EXPECT_EQ(profile.samples.size(), 50);
}

}  // namespace
}  // namespace tare::profile
