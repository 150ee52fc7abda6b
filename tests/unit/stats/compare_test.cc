// compare_test.cc: tests of compare.h.
#include "stats/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
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

TEST(MannWhitney, IsExactForFewSamples) {
  // Hollander and Wolfe (1973), page 69: W = 35 of 10 against 5, one-sided P = 0.1272.
  const std::vector<double> at_term = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
  const std::vector<double> early = {1.15, 0.88, 0.90, 0.74, 1.21};
  const MannWhitneyTest test = *MannWhitney(at_term, early);
  EXPECT_EQ(test.u, 35);
  EXPECT_TRUE(test.exact);
  EXPECT_NEAR(test.p, 0.2544, 1e-4);
  EXPECT_DOUBLE_EQ(test.superiority, 0.7);
  EXPECT_DOUBLE_EQ(test.rank_biserial, 0.4);
}

TEST(MannWhitney, CountsArrangementsExactly) {
  // 5 against 5, separated except for one pair: 1 + 1 of C(10, 5) = 252 arrangements have U <= 1.
  const MannWhitneyTest test =
      *MannWhitney(std::vector<double>{1, 2, 3, 4, 6}, std::vector<double>{5, 7, 8, 9, 10});
  EXPECT_EQ(test.u, 1);
  EXPECT_NEAR(test.p, 2 * 2.0 / 252, 1e-15);
  // Completely separated, 30 against 30: 2 of C(60, 30) = 118264581564861424.
  std::vector<double> low(30);
  std::vector<double> high(30);
  for (std::size_t i = 0; i < 30; ++i) {
    low[i] = static_cast<double>(i);
    high[i] = 100 + static_cast<double>(i);
  }
  EXPECT_NEAR(MannWhitney(low, high)->p * 118264581564861424.0, 2, 1e-9);
}

TEST(MannWhitney, CorrectsForTies) {
  // 1 1 2 3 against 2 3 3 4: U = 1 + 3/2; ties 2 2 3: 6 + 6 + 24 = 36; variance 16/12 (9 - 36/56) =
  // 11.142857; z = (8 - 2.5 - 0.5) / 3.338092 = 1.497862; P = 0.134169.
  const MannWhitneyTest test =
      *MannWhitney(std::vector<double>{1, 1, 2, 3}, std::vector<double>{2, 3, 3, 4});
  EXPECT_FALSE(test.exact);
  EXPECT_EQ(test.u, 2.5);
  EXPECT_NEAR(test.p, 0.134169, 1e-6);
}

TEST(MannWhitney, SeesNoDifferenceBetweenEqualSamples) {
  const MannWhitneyTest test =
      *MannWhitney(std::vector<double>{5, 5, 5}, std::vector<double>{5, 5});
  EXPECT_EQ(test.p, 1);
  EXPECT_EQ(test.superiority, 0.5);
  EXPECT_EQ(MannWhitney(std::vector<double>{-0.0}, std::vector<double>{0.0})->superiority, 0.5);
}

TEST(MannWhitney, IsSymmetric) {
  const MannWhitneyTest ab = *MannWhitney(kSleep1, kSleep2);
  const MannWhitneyTest ba = *MannWhitney(kSleep2, kSleep1);
  EXPECT_DOUBLE_EQ(ab.p, ba.p);
  EXPECT_DOUBLE_EQ(ab.superiority, 1 - ba.superiority);
}

TEST(MannWhitney, RejectsEqualPopulationsAsOftenAsAlpha) {
  Generator generator(22);
  constexpr int kTrials = 2000;
  int exact = 0;
  int approximate = 0;
  for (int i = 0; i < kTrials; ++i) {
    // 6 against 6: the largest attainable level below 5 % is 2 * 19 / 924 = 0.0411 (U <= 5).
    exact +=
        MannWhitney(Sample(generator, 6, DrawExponential), Sample(generator, 6, DrawExponential))
            ->p < 0.05;
    const auto coarse = [](Generator& g) { return std::floor(20 * g.Unit()); };
    approximate +=
        MannWhitney(Sample(generator, 50, coarse), Sample(generator, 40, coarse))->p < 0.05;
  }
  EXPECT_TRUE(IsRate(exact, kTrials, 2 * 19.0 / 924));
  EXPECT_TRUE(IsRate(approximate, kTrials, 0.045, 0.051));
}

TEST(MannWhitney, RefusesInvalidSamples) {
  EXPECT_FALSE(MannWhitney({}, kSleep1));
  EXPECT_FALSE(MannWhitney(kSleep1, {}));
  EXPECT_FALSE(MannWhitney(kSleep1, std::vector<double>{std::numeric_limits<double>::infinity()}));
}

// R's wilcox.test(conf.int = TRUE) estimates -1.346 [-3.6, 0.1] for these samples, which have ties.
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
