// capacity_fit_test.cc: tests finding capacities in synthetic curves, also noisy and flat ones.
#include "machine/survey/capacity_fit.h"
#include "tests/unit/machine/survey/byte_units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tare::survey {
namespace {

using ::testing::SizeIs;

// Seconds per load of a machine with these steps, with noise that only adds: some samples are
// several times too long.
std::vector<CostSamples> SyntheticCurve(double first, const std::vector<CapacityStep>& steps,
                                        double low, double high, double noise,
                                        stats::Generator& generator) {
  std::vector<CostSamples> points;
  for (double size = low; size <= high; size *= 1.09) {
    CostSamples point{size};
    double cost = first;
    for (const CapacityStep& step : steps)
      cost += step.rise * OverflowShare(size, step.size, step.ways, 4096);
    for (int i = 0; i < 9; ++i) {
      const bool disturbed = noise > 0 && generator.Unit() < 0.15;
      point.seconds.push_back(cost * (1 + noise * generator.Unit()) * (disturbed ? 3 : 1));
    }
    points.push_back(point);
  }
  return points;
}

TEST(OverflowShare, EvenlyFilledCacheHasNoMissesUpToItsCapacity) {
  EXPECT_EQ(OverflowShare(64 * kKi, 64 * kKi, 0, 4096), 0);
  EXPECT_DOUBLE_EQ(OverflowShare(128 * kKi, 64 * kKi, 0, 4096), 0.5);
}

TEST(OverflowShare, RandomPagesOverflowBeforeTheCapacity) {
  // 256 pages in 32 groups of 8: E[(X - 8)+] / 8 for X binomial(256, 1/32), summed by hand from its
  // probabilities: 0.1372.
  EXPECT_NEAR(OverflowShare(kMi, kMi, 8, 4096), 0.137, 0.002);
  // Fewer ways overflow sooner.
  EXPECT_GT(OverflowShare(kMi, kMi, 4, 4096), OverflowShare(kMi, kMi, 8, 4096));
}

TEST(OverflowShare, AllGroupsFullIsTheCapacityWhateverTheWays) {
  for (const unsigned ways : {0u, 4u, 8u, 16u})
    EXPECT_NEAR(OverflowShare(6 * kMi, kMi, ways, 4096), 5.0 / 6, 0.001) << ways;
}

TEST(FitCapacitySteps, FindsAFirstCacheOf48KiB) {
  stats::Generator generator(7);
  const auto points =
      SyntheticCurve(1.2e-9, {{48 * kKi, 0, 2.5e-9}}, 2 * kKi, 512 * kKi, 0.01, generator);
  CapacityStepSearch search;
  search.max_found = 2;
  search.low = 4 * kKi;
  search.high = 400 * kKi;
  const CapacityStepFit fit = FitCapacitySteps(points, search);
  ASSERT_THAT(fit.steps, SizeIs(1));
  EXPECT_NEAR(fit.steps[0].size, 48 * kKi, 0.02 * 48 * kKi);
  EXPECT_NEAR(fit.steps[0].rise, 2.5e-9, 0.1e-9);
}

TEST(FitCapacitySteps, FindsThreeLevelsAndTheTranslationsBetween) {
  stats::Generator generator(3);
  const std::vector<CapacityStep> made = {{48 * kKi, 0, 2.5e-9},
                                          {256 * kKi, 0, 1.5e-9},
                                          {1.25 * kMi, 10, 15e-9},
                                          {24 * kMi, 12, 70e-9}};
  const auto points = SyntheticCurve(1.2e-9, made, 4 * kKi, 200 * kMi, 0.02, generator);
  CapacityStepSearch search;
  search.known = {{48 * kKi}, {256 * kKi}};
  search.max_found = 3;
  search.ways = {0, 4, 8, 10, 12, 16};
  search.low = 100 * kKi;
  search.high = 150 * kMi;
  const CapacityStepFit fit = FitCapacitySteps(points, search);
  ASSERT_GE(fit.steps.size(), 4u);
  EXPECT_NEAR(fit.steps[2].size, 1.25 * kMi, 0.1 * kMi);
  EXPECT_NEAR(fit.steps[3].size, 24 * kMi, 4 * kMi);
  EXPECT_NEAR(fit.Beyond(200 * kMi), 90.2e-9, 8e-9);
}

TEST(FitCapacitySteps, FlatCurveHasNone) {
  stats::Generator generator(5);
  const auto points = SyntheticCurve(2e-9, {}, 2 * kKi, 512 * kKi, 0.02, generator);
  CapacityStepSearch search;
  search.low = 4 * kKi;
  search.high = 400 * kKi;
  EXPECT_THAT(FitCapacitySteps(points, search).steps, SizeIs(0));
}

TEST(FitCapacitySteps, KnownStepsStayUnchanged) {
  stats::Generator generator(5);
  const auto points =
      SyntheticCurve(2e-9, {{64 * kKi, 0, 2e-9}}, 2 * kKi, 512 * kKi, 0.005, generator);
  CapacityStepSearch search;
  search.known = {{64 * kKi}};
  search.low = 4 * kKi;
  search.high = 400 * kKi;
  const CapacityStepFit fit = FitCapacitySteps(points, search);
  ASSERT_THAT(fit.steps, SizeIs(1));
  EXPECT_EQ(fit.steps[0].size, 64 * kKi);
  EXPECT_NEAR(fit.steps[0].rise, 2e-9, 0.05e-9);
}

TEST(RefitCapacitySteps, SpreadAroundTheTruth) {
  stats::Generator generator(11);
  const auto points =
      SyntheticCurve(2e-9, {{64 * kKi, 0, 2e-9}}, 2 * kKi, 512 * kKi, 0.02, generator);
  CapacityStepSearch search;
  search.max_found = 1;
  search.low = 4 * kKi;
  search.high = 400 * kKi;
  const CapacityStepFit fit = FitCapacitySteps(points, search);
  ASSERT_THAT(fit.steps, SizeIs(1));
  for (const CapacityStepFit& again : RefitCapacitySteps(points, search, fit, 20, generator))
    EXPECT_NEAR(again.steps.at(0).size, 64 * kKi, 0.08 * 64 * kKi);
}

TEST(MiddleMean, AFewWildSamplesDoNotMoveIt) {
  const std::vector<double> samples = {1, 1, 1, 1, 1, 1, 1, 50, 90};
  EXPECT_DOUBLE_EQ(MiddleMean(samples), 1);
  EXPECT_DOUBLE_EQ(MiddleMean(std::vector<double>{2, 90, 1}), 2);
}

TEST(BuiltSize, IsNotMuchBelowWhatWasFound) {
  EXPECT_EQ(BuiltSize(63.8 * kKi), 64 * kKi);
  EXPECT_EQ(BuiltSize(48.3 * kKi), 48 * kKi);
  EXPECT_EQ(BuiltSize(0.86 * kMi), kMi);
  EXPECT_EQ(BuiltSize(1.2 * kMi), 1.25 * kMi);
  EXPECT_EQ(BuiltSize(1.9 * kMi), 2 * kMi);
}

}  // namespace
}  // namespace tare::survey
