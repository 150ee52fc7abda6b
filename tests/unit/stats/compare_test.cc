// compare_test.cc: tests of compare.h.
#include "stats/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "simulation.h"

namespace tare::stats {
namespace {

// Student (1908): hours of sleep gained with either of two drugs.
const std::vector<double> kSleep1 = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
const std::vector<double> kSleep2 = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

TEST(Welch, GivesThePublishedFiguresOfStudentsSleepData) {
  // R's documentation of t.test: t = -1.8608, df = 17.776, p = 0.07939, (-3.3654832, 0.2054832).
  const WelchTest test = *Welch(kSleep1, kSleep2, 0.95);
  EXPECT_NEAR(test.t, -1.8608, 5e-5);
  EXPECT_NEAR(test.degrees, 17.776, 5e-4);
  EXPECT_NEAR(test.p, 0.07939, 5e-6);
  EXPECT_NEAR(test.difference.Value(), -1.58, 1e-12);
  EXPECT_EQ(test.difference.confidence, 0.95);
  EXPECT_NEAR(test.difference.Low(), -3.3654832, 5e-8);
  EXPECT_NEAR(test.difference.High(), 0.2054832, 5e-8);
}

TEST(Welch, GivesHedgesEffect) {
  // 1 2 3 4 5 against 3 4 5 6 7: difference -2, both variances 2.5, factor 1 - 3 / (4 * 8 - 1).
  const WelchTest test =
      *Welch(std::vector<double>{1, 2, 3, 4, 5}, std::vector<double>{3, 4, 5, 6, 7}, 0.95);
  EXPECT_NEAR(test.hedges_g, -2 / std::sqrt(2.5) * (1 - 3.0 / 31), 1e-12);
  EXPECT_NEAR(test.degrees, 8, 1e-12);
}

TEST(Welch, RejectsEqualPopulationsAsOftenAsAlpha) {
  // Unequal variances and sample sizes, where Student's own test fails.
  Generator generator(21);
  constexpr int kTrials = 2000;
  int rejected = 0;
  int covered = 0;
  for (int i = 0; i < kTrials; ++i) {
    const auto a = Sample(generator, 10, [](Generator& g) { return 4 * DrawNormal(g); });
    const auto b = Sample(generator, 25, DrawNormal);
    const WelchTest test = *Welch(a, b, 0.95);
    rejected += test.p < 0.05;
    covered += test.difference.Contains(0);
  }
  EXPECT_TRUE(IsRate(rejected, kTrials, 0.045, 0.055));
  EXPECT_EQ(covered, kTrials - rejected);
}

TEST(Welch, DoesNotDependOnTheUnit) {
  const auto scaled = [](std::vector<double> samples, double factor) {
    for (double& sample : samples) sample *= factor;
    return samples;
  };
  const WelchTest plain = *Welch(kSleep1, kSleep2, 0.95);
  for (double factor : {0x1p900, 0x1p-900}) {
    const WelchTest test = *Welch(scaled(kSleep1, factor), scaled(kSleep2, factor), 0.95);
    EXPECT_DOUBLE_EQ(test.t, plain.t);
    EXPECT_DOUBLE_EQ(test.degrees, plain.degrees);
    EXPECT_DOUBLE_EQ(test.hedges_g, plain.hedges_g);
  }
}

TEST(Welch, AcceptsOneConstantSideAndRefusesTwo) {
  const std::vector<double> constant = {3, 3, 3};
  // If one side has no variance, the other's degrees of freedom remain.
  EXPECT_NEAR(Welch(kSleep1, constant, 0.95)->degrees, 9, 1e-12);
  EXPECT_EQ(Welch(constant, std::vector<double>{4, 4}, 0.95).error().message,
            "Welch's test: neither sample varies; compare the two values directly");
  EXPECT_FALSE(Welch(std::vector<double>{1}, constant, 0.95));
  EXPECT_FALSE(Welch(kSleep1, kSleep2, 0));
}

TEST(ShiftInterval, IsTheMedianOfAllDifferences) {
  const Measured shift = *ShiftInterval(kSleep1, kSleep2, 0.95);
  EXPECT_NEAR(shift.Value(), -1.35, 1e-12);
  EXPECT_NEAR(shift.Low(), -3.6, 1e-12);
  EXPECT_NEAR(shift.High(), 0.1, 1e-12);
}

TEST(ShiftInterval, CoversAKnownShiftAsOftenAsItSays) {
  Generator generator(23);
  constexpr int kTrials = 2000;
  int covered = 0;
  for (int i = 0; i < kTrials; ++i) {
    std::vector<double> a = Sample(generator, 15, DrawExponential);
    for (double& x : a) x += 3;
    covered += ShiftInterval(a, Sample(generator, 12, DrawExponential), 0.95)->Contains(3);
  }
  EXPECT_TRUE(IsRate(covered, kTrials, 0.945, 0.96)) << covered;
}

TEST(ShiftInterval, IsHardlyMovedByAnOutlier) {
  std::vector<double> a = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<double> b = {11, 12, 13, 14, 15, 16, 17, 18};
  const Measured before = *ShiftInterval(a, b, 0.95);
  a.back() = 1e6;
  const Measured after = *ShiftInterval(a, b, 0.95);
  EXPECT_EQ(before.Value(), -10);
  EXPECT_NEAR(after.Value(), before.Value(), 1);
  EXPECT_LT(after.High(), 0);
}

TEST(ShiftInterval, RefusesTooFewSamples) {
  EXPECT_FALSE(ShiftInterval(std::vector<double>{1}, kSleep1, 0.95));
  EXPECT_FALSE(ShiftInterval(std::vector<double>{1, 2}, std::vector<double>{3, 4}, 0.95));
}

}  // namespace
}  // namespace tare::stats
