// distribution_test.cc: tests of distribution.h.
#include "stats/distribution.h"
#include "tests/unit/stats/special_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tare::stats {
namespace {

TEST(Normal, CriticalValuesAreThoseOfTheTables) {
  // Abramowitz and Stegun (1964), table 26.5.
  EXPECT_NEAR(NormalCritical(0.90), 1.64485, 5e-6);
  EXPECT_NEAR(NormalCritical(0.95), 1.95996, 5e-6);
  EXPECT_NEAR(NormalCritical(0.99), 2.57583, 5e-6);
  EXPECT_NEAR(NormalTwoSided(1.959963985), 0.05, 1e-9);
  EXPECT_NEAR(NormalTwoSided(-1.959963985), 0.05, 1e-9);
}

TEST(Normal, QuantileUndoesTheDistribution) {
  for (double z : {-6.0, -1.0, 0.0, 0.5, 3.0}) EXPECT_NEAR(NormalQuantile(NormalCdf(z)), z, 1e-9);
  EXPECT_EQ(NormalCdf(kInfinity), 1);
  EXPECT_EQ(NormalCdf(-kInfinity), 0);
}

TEST(Student, CriticalValuesAreThoseOfTheTables) {
  // Student's t, two-sided: Abramowitz and Stegun (1964), table 26.10.
  EXPECT_NEAR(StudentCritical(0.95, 1), 12.706, 5e-4);
  EXPECT_NEAR(StudentCritical(0.95, 9), 2.262, 5e-4);
  EXPECT_NEAR(StudentCritical(0.99, 30), 2.750, 5e-4);
  EXPECT_NEAR(StudentTwoSided(2.262157, 9), 0.05, 1e-7);
}

TEST(Student, BecomesNormalWithManyDegrees) {
  EXPECT_NEAR(StudentCritical(0.95, 1e9), NormalCritical(0.95), 1e-6);
  EXPECT_EQ(StudentCritical(0.95, kInfinity), NormalCritical(0.95));
  EXPECT_EQ(StudentTwoSided(kInfinity, 5), 0);
}

TEST(Binomial, TailsAreSumsOfTheirTerms) {
  // Ten tosses of a coin: 1, 10, 45 of 1024 outcomes have 0, 1, 2 heads.
  EXPECT_NEAR(BinomialCdf(2, 10, 0.5), 56.0 / 1024, 1e-15);
  EXPECT_NEAR(BinomialAtLeast(3, 10, 0.5), 968.0 / 1024, 1e-15);
  EXPECT_EQ(BinomialCdf(-1, 10, 0.5), 0);
  EXPECT_EQ(BinomialCdf(10, 10, 0.5), 1);
  EXPECT_EQ(BinomialAtLeast(0, 10, 0.5), 1);
  EXPECT_EQ(BinomialAtLeast(11, 10, 0.5), 0);
  EXPECT_EQ(BinomialAtLeast(3, 10, 0), 0);
  EXPECT_EQ(BinomialAtLeast(3, 10, 1), 1);
}

TEST(Distributions, NeverThrowOnNonsense) {
  for (double confidence : {0.0, 1.0, -1.0, 2.0, kNoNumber}) {
    EXPECT_TRUE(std::isnan(NormalCritical(confidence))) << confidence;
    EXPECT_TRUE(std::isnan(StudentCritical(confidence, 3))) << confidence;
    EXPECT_TRUE(std::isnan(NormalQuantile(confidence))) << confidence;
  }
  EXPECT_TRUE(std::isnan(StudentCritical(0.95, 0)));
  EXPECT_TRUE(std::isnan(StudentTwoSided(1, -1)));
  EXPECT_TRUE(std::isnan(NormalTwoSided(kNoNumber)));
  EXPECT_TRUE(std::isnan(BinomialCdf(1, 10, 1.5)));
  EXPECT_TRUE(std::isnan(BinomialAtLeast(1, -1, 0.5)));
  // Confidence close to 1, and close to 0.
  EXPECT_TRUE(std::isfinite(StudentCritical(1 - 1e-16, 1)));
  EXPECT_GE(StudentCritical(1e-300, 1), 0);
}

}  // namespace
}  // namespace tare::stats
