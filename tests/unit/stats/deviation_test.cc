// deviation_test.cc: tests of deviation.h.
#include "stats/deviation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "simulation.h"

namespace tare::stats {
namespace {

TEST(DeviationInterval, IsChiSquares) {
  // 10 samples with s = 1: the chi-squared quantiles of 9 degrees of freedom are 2.700 and 19.023
  // (any table), so the interval is sqrt(9 / 19.023) to sqrt(9 / 2.700).
  const Measured estimate = *DeviationInterval(1, 9, 0.95);
  EXPECT_EQ(estimate.Value(), 1);
  EXPECT_EQ(estimate.confidence, 0.95);
  EXPECT_NEAR(estimate.Low(), 0.68784, 1e-4);
  EXPECT_NEAR(estimate.High(), 1.82562, 1e-4);
}

TEST(DeviationInterval, OfSamplesTakesTheirOwn) {
  // 1 to 4: s = sqrt(5 / 3); the quantiles of 3 degrees of freedom are 0.21580 and 9.34840.
  const Measured estimate = *DeviationInterval(std::vector<double>{1, 2, 3, 4}, 0.95);
  EXPECT_NEAR(estimate.Value(), std::sqrt(5.0 / 3), 1e-12);
  EXPECT_NEAR(estimate.Low(), std::sqrt(5 / 9.34840), 1e-4);
  EXPECT_NEAR(estimate.High(), std::sqrt(5 / 0.21580), 1e-4);
}

TEST(DeviationInterval, CoversTheDeviationAsOftenAsItSays) {
  Generator generator(7);
  constexpr int kTrials = 2000;
  for (const auto size : {std::size_t{2}, std::size_t{4}, std::size_t{9}}) {
    int covered = 0;
    for (int i = 0; i < kTrials; ++i) {
      const auto samples = Sample(generator, size, DrawNormal);
      covered += DeviationInterval(samples, 0.9)->Contains(1);
    }
    EXPECT_TRUE(IsRate(covered, kTrials, 0.9)) << size;
  }
}

TEST(DeviationInterval, OfPooledSamplesCoversToo) {
  Generator generator(8);
  constexpr int kTrials = 2000;
  int covered = 0;
  for (int i = 0; i < kTrials; ++i) {
    double squares = 0;
    for (const auto size : {std::size_t{3}, std::size_t{4}}) {
      const auto samples = Sample(generator, size, DrawNormal);
      const double deviation = DeviationInterval(samples, 0.95)->Value();
      squares += static_cast<double>(size - 1) * deviation * deviation;
    }
    covered += DeviationInterval(std::sqrt(squares / 5), 5, 0.95)->Contains(1);
  }
  EXPECT_TRUE(IsRate(covered, kTrials, 0.95));
}

TEST(DeviationInterval, OfEqualSamplesHasNoWidth) {
  const Measured estimate = *DeviationInterval(std::vector<double>{3, 3, 3}, 0.95);
  EXPECT_EQ(estimate.Value(), 0);
  EXPECT_EQ(estimate.Low(), 0);
  EXPECT_EQ(estimate.High(), 0);
}

TEST(DeviationInterval, RefusesWhatHasNoInterval) {
  EXPECT_EQ(DeviationInterval(std::vector<double>{1}, 0.95).error().message,
            "interval of the standard deviation: needs at least 2 samples, got 1");
  EXPECT_EQ(DeviationInterval(1, 3, 95).error().message,
            "interval of the standard deviation: the confidence must be between 0 and 1, not 95 "
            "(usually 0.95)");
  constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(DeviationInterval(-1, 3, 0.95));
  EXPECT_FALSE(DeviationInterval(kNoNumber, 3, 0.95));
  EXPECT_FALSE(DeviationInterval(1, 0, 0.95));
  EXPECT_FALSE(DeviationInterval(1, kNoNumber, 0.95));
  EXPECT_FALSE(DeviationInterval(1e300, 1, 1 - 1e-15));
}

}  // namespace
}  // namespace tare::stats
