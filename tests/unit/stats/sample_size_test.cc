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
