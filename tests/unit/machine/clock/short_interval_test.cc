// short_interval_test.cc: tests Lilja's equations 6.1 and 6.2.
#include "machine/clock/short_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tare::clock {
namespace {

using stats::ProportionMethod;

bool Has(const std::vector<Caveat>& caveats, CaveatId key) {
  for (const Caveat& caveat : caveats) {
    if (caveat.key == key) return true;
  }
  return false;
}

// p = 852/10482 = 0.08128; 1.96 sqrt(p (1 - p) / 10482) = 0.00523; times 40 us: 3.25 -+ 0.21 us.
// Equation 6.2 prints (0.0786, 0.0840) and (3.14, 3.36) us, which is one standard error, not 1.96.
TEST(ShortInterval, GivesTheExampleOfEquation62AtItsStatedConfidence) {
  const auto estimate = ShortInterval(852, 10482, 40e-6, 0.95, ProportionMethod::kNormal).value();
  EXPECT_NEAR(estimate.proportion.Value(), 0.081282, 1e-6);
  EXPECT_NEAR(estimate.proportion.Low(), 0.076051, 1e-6);
  EXPECT_NEAR(estimate.proportion.High(), 0.086513, 1e-6);
  EXPECT_NEAR(estimate.duration.Low(), 3.04e-6, 0.005e-6);
  EXPECT_NEAR(estimate.duration.High(), 3.46e-6, 0.005e-6);
  EXPECT_TRUE(estimate.caveats.empty());
}

TEST(ShortInterval, GivesThePrintedLimitsForOneStandardErrorOnly) {
  // P(|Z| <= 1) = 0.6827.
  const auto estimate = ShortInterval(852, 10482, 40e-6, 0.6827, ProportionMethod::kNormal).value();
  EXPECT_NEAR(estimate.duration.Low(), 3.14e-6, 0.005e-6);
  EXPECT_NEAR(estimate.duration.High(), 3.36e-6, 0.005e-6);
}

// 0.015 -+ 2.5758 sqrt(0.015 0.985 / 800) = 0.015 -+ 0.01107.
TEST(ShortInterval, WarnsOfTheNormalFormulaForTwelveOfEightHundred) {
  const auto normal = ShortInterval(12, 800, 1, 0.99, ProportionMethod::kNormal).value();
  EXPECT_NEAR(normal.duration.Low(), 0.00393, 1e-5);
  EXPECT_NEAR(normal.duration.High(), 0.02607, 1e-5);
  EXPECT_TRUE(Has(normal.caveats, CaveatId::kSmallCounts));
}

// Wilson: (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n) with z = 2.5758.
TEST(ShortInterval, TakesWilsonWithoutWarningForTwelveOfEightHundred) {
  const auto wilson = ShortInterval(12, 800, 1, 0.99, ProportionMethod::kWilson).value();
  EXPECT_NEAR(wilson.duration.Low(), 0.007266, 1e-6);
  EXPECT_NEAR(wilson.duration.High(), 0.030713, 1e-6);
  EXPECT_TRUE(wilson.caveats.empty());
}

TEST(ShortInterval, WarnsOfTheNormalFormulaWhenTheClockNeverOrAlwaysAdvanced) {
  for (std::uint64_t m : {0u, 50u}) {
    const auto estimate = ShortInterval(m, 50, 1, 0.95, ProportionMethod::kNormal).value();
    EXPECT_TRUE(Has(estimate.caveats, CaveatId::kSmallCounts)) << m;
  }
}

TEST(ShortInterval, RefusesWhatCannotBeCounted) {
  EXPECT_FALSE(ShortInterval(2, 1, 1e-6, 0.95));
  EXPECT_FALSE(ShortInterval(0, 0, 1e-6, 0.95));
  EXPECT_FALSE(ShortInterval(1, 10, 0, 0.95));
  EXPECT_FALSE(ShortInterval(1, 10, -1e-6, 0.95));
  EXPECT_FALSE(ShortInterval(1, 10, std::numeric_limits<double>::quiet_NaN(), 0.95));
  EXPECT_FALSE(ShortInterval(1, 10, 1e-6, 1));
  EXPECT_FALSE(ShortInterval(1, 10, 1e-6, 0));
}

TEST(ShortIntervalFromAdvances, IsTheProportionWhenNothingAdvancedTwice) {
  std::vector<std::uint32_t> advances(800, 0);
  std::fill_n(advances.begin(), 12, 1u);
  const auto from_advances = ShortIntervalFromAdvances(advances, 2e-6, 0.99).value();
  const auto from_counts = ShortInterval(12, 800, 2e-6, 0.99).value();
  EXPECT_EQ(from_advances.duration.Value(), from_counts.duration.Value());
  EXPECT_EQ(from_advances.duration.High(), from_counts.duration.High());
}

// Ticks 0 0 1 3: mean 1, standard deviation sqrt(2), t(3 degrees, 95 %) = 3.1824.
TEST(ShortIntervalFromAdvances, TakesTheMeanAndSaysSoWhenSomethingDid) {
  const std::vector<std::uint32_t> advances = {0, 0, 1, 3};
  const auto estimate = ShortIntervalFromAdvances(advances, 10e-6, 0.95).value();
  EXPECT_NEAR(estimate.duration.Value(), 10e-6, 1e-12);
  EXPECT_NEAR(estimate.duration.High(), 10e-6 * (1 + 3.18245 * std::sqrt(2.0) / 2), 1e-10);
  ASSERT_TRUE(Has(estimate.caveats, CaveatId::kOutliers));
  EXPECT_EQ(estimate.caveats.front().detail,
            "1 of 4 measurements took more than one tick, up to 3");
}

// 30 of 80 measurements with 3 ticks, the others with 2: 2 and the interval of 30/80.
TEST(ShortIntervalFromAdvances, OfNOrOneMoreTicksIsNAndAProportion) {
  std::vector<std::uint32_t> advances(80, 2);
  std::fill_n(advances.begin(), 30, 3u);
  const auto estimate = ShortIntervalFromAdvances(advances, 10e-6, 0.95).value();
  const auto share = ShortInterval(30, 80, 10e-6, 0.95).value();
  EXPECT_NEAR(estimate.duration.Value(), 20e-6 + share.duration.Value(), 1e-15);
  EXPECT_NEAR(estimate.duration.Low(), 20e-6 + share.duration.Low(), 1e-15);
  EXPECT_NEAR(estimate.proportion.High(), 2 + share.proportion.High(), 1e-12);
  EXPECT_TRUE(estimate.caveats.empty());
}

// 80 of 80 measurements with 3 ticks: 2.99 or 3.01 ticks are as likely to give that.
TEST(ShortIntervalFromAdvances, OfTheSameNumberOfTicksExtendsToBothSides) {
  const std::vector<std::uint32_t> advances(80, 3);
  const auto estimate = ShortIntervalFromAdvances(advances, 10e-6, 0.95).value();
  const double above = ShortInterval(0, 80, 1, 0.95).value().proportion.High();
  EXPECT_DOUBLE_EQ(estimate.proportion.Value(), 3);
  EXPECT_DOUBLE_EQ(estimate.proportion.Low(), 3 - above);
  EXPECT_DOUBLE_EQ(estimate.proportion.High(), 3 + above);
  EXPECT_DOUBLE_EQ(estimate.duration.Low(), 10e-6 * (3 - above));
  EXPECT_TRUE(estimate.caveats.empty());
}

// An event of 2.9985 ticks takes 3 in all of 500 measurements with a probability of 0.9985^500 =
// 0.47. 96 % of 400 intervals contain it, with a standard deviation of 1.1 %.
TEST(ShortIntervalFromAdvances, ContainsADurationOfJustBelowAWholeNumberOfTicks) {
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> phase(0, 1);
  int covered = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<std::uint32_t> advances;
    for (int i = 0; i < 500; ++i)
      advances.push_back(static_cast<std::uint32_t>(phase(random) + 2.9985));
    covered += ShortIntervalFromAdvances(advances, 1, 0.95).value().duration.Contains(2.9985);
  }
  EXPECT_GE(covered, 366);
}

// An event of 2.3 ticks takes 2 or 3, in the mean 2.3.
TEST(ShortIntervalFromAdvances, ContainsTheTrueDurationOfALongerEvent) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> phase(0, 1);
  int covered = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<std::uint32_t> advances;
    for (int i = 0; i < 500; ++i)
      advances.push_back(static_cast<std::uint32_t>(phase(random) + 2.3));
    covered += ShortIntervalFromAdvances(advances, 1, 0.95).value().duration.Contains(2.3);
  }
  EXPECT_GE(covered, 366);
  EXPECT_LE(covered, 394);
}

TEST(ShortIntervalFromAdvances, RefusesNothingToCount) {
  EXPECT_FALSE(ShortIntervalFromAdvances({}, 1e-6, 0.95));
}

// An event of 0.3 ticks with a random phase advances the clock when phase + 0.3 reaches 1. 95 % of
// 400 intervals contain it, with a standard deviation of 1.1 %.
TEST(ShortIntervalFromAdvances, ContainsTheTrueDurationAsOftenAsStated) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> phase(0, 1);
  int covered = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<std::uint32_t> advances;
    for (int i = 0; i < 500; ++i) advances.push_back(phase(random) + 0.3 >= 1 ? 1 : 0);
    covered += ShortIntervalFromAdvances(advances, 1, 0.95).value().duration.Contains(0.3);
  }
  EXPECT_GE(covered, 366);
  EXPECT_LE(covered, 394);
}

// 3-4-5: distances of 3 and 4 to the limits combine to 5.
TEST(Difference, AddsDistancesAsSquaresOnEachSide) {
  const auto apart = Difference(Between(10, 7, 22, 0.9), Between(4, -1, 8, 0.9));
  EXPECT_EQ(apart.Value(), 6);
  EXPECT_DOUBLE_EQ(apart.Low(), 6 - 5);
  EXPECT_DOUBLE_EQ(apart.High(), 6 + 13);
  EXPECT_EQ(apart.confidence, 0.9);
}

TEST(Difference, OfAnExactNumberKeepsTheInterval) {
  const auto apart = Difference(Between(10, 9, 12, 0.9), Known(4));
  EXPECT_DOUBLE_EQ(apart.Low(), 5);
  EXPECT_DOUBLE_EQ(apart.High(), 8);
  EXPECT_EQ(apart.confidence, 0.9);
  EXPECT_EQ(Difference(Known(4), Between(10, 9, 12, 0.9)), Between(-6, -8, -5, 0.9));
}

}  // namespace
}  // namespace tare::clock
