// sample_size_test.cc: tests of sample_size.h.
#include "stats/sample_size.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tare::stats {
namespace {

// P(Bin(n, p) >= k) from the sum of the terms below k.
double AtLeast(int k, int n, double p) {
  double term = std::pow(1 - p, n);
  double below = 0;
  for (int i = 0; i < k; ++i) {
    below += term;
    term *= static_cast<double>(n - i) / (i + 1) * p / (1 - p);
  }
  return 1 - below;
}

TEST(SamplesForMean, AreEnoughForStudentsInterval) {
  // t(97) * 10 / sqrt(98) = 2.0049 and t(98) * 10 / sqrt(99) = 1.9945.
  EXPECT_EQ(*SamplesForMean(10, 2, 0.95), 99u);
  EXPECT_EQ(*SamplesForMean(0, 2, 0.95), 2u);
}

TEST(SamplesForMean, RefusesTheImpossible) {
  EXPECT_FALSE(SamplesForMean(10, 0, 0.95));
  EXPECT_FALSE(SamplesForMean(10, -1, 0.95));
  EXPECT_FALSE(SamplesForMean(-1, 1, 0.95));
  EXPECT_FALSE(SamplesForMean(std::numeric_limits<double>::quiet_NaN(), 1, 0.95));
  EXPECT_FALSE(SamplesForMean(1, 1, 1));
  EXPECT_EQ(SamplesForMean(1, 1e-12, 0.95).error().message,
            "samples for a mean: more than 10^15 samples would be needed; request less precision");
}

TEST(SamplesForProportion, AreCochransForTheNormalFormula) {
  // Cochran (1977): 1.96^2 * 0.25 / 0.05^2 = 384.1.
  EXPECT_EQ(*SamplesForProportion(0.5, 0.05, 0.95, ProportionMethod::kNormal), 385u);
}

TEST(SamplesForProportion, GiveTheRequestedWidthAndFewerDoNot) {
  // An expected 100 of 500, given as a proportion, checked with the resulting number of samples.
  const std::uint64_t n = *SamplesForProportion(0.2, 0.03, 0.95);
  const auto half_width = [](std::uint64_t count) {
    const double z = 1.959963984540054;
    const double c = static_cast<double>(count);
    return z / (1 + z * z / c) * std::sqrt(0.16 / c + z * z / (4 * c * c));
  };
  EXPECT_LE(half_width(n), 0.03);
  EXPECT_GT(half_width(n - 1), 0.03);
}

TEST(SamplesForProportion, RefusesTheImpossible) {
  EXPECT_FALSE(SamplesForProportion(1.2, 0.1, 0.95));
  EXPECT_FALSE(SamplesForProportion(0.5, 0, 0.95));
  EXPECT_FALSE(SamplesForProportion(0.5, 0.1, 0));
}

TEST(SamplesForCount, GiveTheInterruptPeriodOfTheTextbooksExercise) {
  // Lilja (2000), exercise 6.7: twelve subroutines of at least 5 % each, 30 s, ten samples with a
  // probability of 99 %. If that is for each subroutine: 371 samples, one every 80.9 ms.
  const std::uint64_t each = *SamplesForCount(0.05, 10, 0.99);
  EXPECT_EQ(each, 371u);
  EXPECT_GE(AtLeast(10, 371, 0.05), 0.99);
  EXPECT_LT(AtLeast(10, 370, 0.05), 0.99);
  EXPECT_NEAR(30.0 / static_cast<double>(each), 0.0809, 5e-5);
  // If it is for all twelve together, by Bonferroni: 452 samples, one every 66.4 ms.
  const std::uint64_t all = *SamplesForCount(0.05, 10, 1 - 0.01 / 12);
  EXPECT_EQ(all, 452u);
  EXPECT_GE(AtLeast(10, 452, 0.05), 1 - 0.01 / 12);
  EXPECT_LT(AtLeast(10, 451, 0.05), 1 - 0.01 / 12);
  EXPECT_NEAR(30.0 / static_cast<double>(all), 0.0664, 5e-5);
}

TEST(SamplesForCount, OfACertaintyAreTheCountItself) {
  EXPECT_EQ(*SamplesForCount(1, 10, 0.99), 10u);
  EXPECT_EQ(*SamplesForCount(0.5, 0, 0.99), 1u);
}

TEST(SamplesForCount, RefusesTheImpossible) {
  EXPECT_FALSE(SamplesForCount(0, 1, 0.99));
  EXPECT_FALSE(SamplesForCount(1.1, 1, 0.99));
  EXPECT_FALSE(SamplesForCount(0.5, 1, 1));
  EXPECT_FALSE(SamplesForCount(1e-300, 1, 0.99));
  EXPECT_FALSE(SamplesForCount(0.5, std::numeric_limits<std::uint64_t>::max(), 0.99));
}

}  // namespace
}  // namespace tare::stats
