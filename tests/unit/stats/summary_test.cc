// summary_test.cc: tests of summary.h.
#include "stats/summary.h"
#include "tests/unit/stats/special_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tare::stats {
namespace {

TEST(Summary, OfAFewNumbersIsWhatTheHandGives) {
  // Mean 40/8 = 5; squared differences 9+1+1+1+0+0+4+16 = 32; 32/7; deviations from the median 4.5:
  // 2.5 .5 .5 .5 .5 .5 2.5 4.5, whose median is .5.
  const std::vector<double> samples = {2, 4, 4, 4, 5, 5, 7, 9};
  const Summary summary = *Summarize(samples);
  EXPECT_EQ(summary.count, 8u);
  EXPECT_DOUBLE_EQ(summary.mean, 5);
  EXPECT_DOUBLE_EQ(summary.median, 4.5);
  EXPECT_DOUBLE_EQ(summary.standard_deviation, std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(summary.coefficient_of_variation, std::sqrt(32.0 / 7) / 5);
  EXPECT_DOUBLE_EQ(summary.mad, 0.5);
  EXPECT_EQ(summary.minimum, 2);
  EXPECT_EQ(summary.maximum, 9);
}

TEST(Summary, OfOneSampleHasNoSpread) {
  const Summary summary = *Summarize(std::vector<double>{7});
  EXPECT_EQ(summary.mean, 7);
  EXPECT_EQ(summary.median, 7);
  EXPECT_EQ(summary.standard_deviation, 0);
  EXPECT_EQ(summary.coefficient_of_variation, 0);
  EXPECT_EQ(summary.mad, 0);
}

TEST(Summary, HasNoCoefficientOfVariationAroundZero) {
  EXPECT_TRUE(std::isnan(Summarize(std::vector<double>{-1, 1})->coefficient_of_variation));
  EXPECT_TRUE(std::isnan(Summarize(std::vector<double>{0, 0})->coefficient_of_variation));
}

TEST(Summary, UsesTheSizeOfANegativeMean) {
  EXPECT_DOUBLE_EQ(Summarize(std::vector<double>{-1, -3})->coefficient_of_variation,
                   std::sqrt(2.0) / 2);
}

TEST(Summary, LosesNothingFarFromZero) {
  // Clock readings: 2^53 - 3 to 2^53 - 1 are exact; their deviation is 1, as for 1, 2, 3.
  const double base = 0x1p53 - 4;
  const Summary summary = *Summarize(std::vector<double>{base + 1, base + 2, base + 3});
  EXPECT_EQ(summary.mean, base + 2);
  EXPECT_EQ(summary.standard_deviation, 1);
}

TEST(Summary, OfTheLargestNumbersDoesNotOverflow) {
  const double largest = std::numeric_limits<double>::max();
  const Summary summary = *Summarize(std::vector<double>{largest, largest, largest});
  EXPECT_EQ(summary.mean, largest);
  EXPECT_EQ(summary.median, largest);
  EXPECT_EQ(summary.standard_deviation, 0);
  // Two values at +-x have the deviation x * sqrt(2).
  EXPECT_DOUBLE_EQ(Summarize(std::vector<double>{1e300, -1e300})->standard_deviation,
                   1e300 * std::sqrt(2.0));
}

TEST(Summary, OfTheSmallestNumbersDoesNotVanish) {
  EXPECT_NEAR(Summarize(std::vector<double>{1e-300, 3e-300})->standard_deviation / 1e-300,
              std::sqrt(2.0), 1e-12);
}

TEST(Summary, RefusesInvalidSamples) {
  EXPECT_EQ(Summarize({}).error().message, "summary: needs at least 1 sample, got 0");
  EXPECT_EQ(Summarize(std::vector<double>{1, kNoNumber}).error().message,
            "summary: sample 2 is not a number; omit missing values");
  EXPECT_EQ(Summarize(std::vector<double>{-kInfinity}).error().message,
            "summary: sample 1 is infinite; omit missing values");
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  // Hyndman and Fan (1996), type 7: position q (n - 1), counted from 0.
  const std::vector<double> samples = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(*Quantile(samples, 0), 1);
  EXPECT_DOUBLE_EQ(*Quantile(samples, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(*Quantile(samples, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(*Quantile(samples, 0.9), 3.7);
  EXPECT_DOUBLE_EQ(*Quantile(samples, 1), 4);
  EXPECT_EQ(*Quantile(std::vector<double>{5}, 0.3), 5);
}

TEST(Quantile, ComesInTheRequestedOrder) {
  const std::vector<double> qs = {1, 0, 0.5};
  EXPECT_EQ(*Quantiles(std::vector<double>{3, 1, 2}, qs), (std::vector<double>{3, 1, 2}));
}

TEST(Quantile, RefusesWhatIsNotBetweenZeroAndOne) {
  for (double q : {-0.1, 1.1, kNoNumber}) {
    EXPECT_FALSE(Quantile(std::vector<double>{1, 2}, q)) << q;
  }
  EXPECT_FALSE(Quantile({}, 0.5));
}

}  // namespace
}  // namespace tare::stats
