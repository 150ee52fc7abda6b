// series_quantiles_test.cc: tests that quantiles are exact for few numbers and within the stated
// error for many.
#include "format/series_quantiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tare::format {
namespace {

double ExactQuantile(std::vector<double> numbers, double share) {
  std::ranges::sort(numbers);
  const double rank = std::ceil(share * static_cast<double>(numbers.size()));
  return numbers[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

void ExpectWithinError(StreamQuantiles& quantiles, const std::vector<double>& numbers) {
  for (double share = 0; share <= 1; share += 0.0625) {
    const double exact = ExactQuantile(numbers, share);
    const double allowed = std::fabs(exact) * (quantiles.RelativeError() + 1e-9);
    EXPECT_NEAR(quantiles.Quantile(share), exact, allowed) << share;
  }
}

TEST(StreamQuantiles, AreExactWhileAllNumbersFit) {
  StreamQuantiles quantiles(64);
  for (int i = 64; i >= 1; --i) quantiles.Add(i);
  EXPECT_EQ(quantiles.RelativeError(), 0);
  EXPECT_EQ(quantiles.Quantile(0), 1);
  EXPECT_EQ(quantiles.Quantile(0.5), 32);
  EXPECT_EQ(quantiles.Quantile(1), 64);
}

TEST(StreamQuantiles, StayWithinHalfAPerCentForOrdinaryNumbers) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> spread(10, 2);
  StreamQuantiles quantiles(16384);
  std::vector<double> numbers;
  for (int i = 0; i < 100'000; ++i) {
    numbers.push_back(spread(random));
    quantiles.Add(numbers.back());
  }
  EXPECT_DOUBLE_EQ(quantiles.RelativeError(), 0.005);
  ExpectWithinError(quantiles, numbers);
}

TEST(StreamQuantiles, SayALargerErrorWhenRoomIsShort) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(-30, 60);
  StreamQuantiles quantiles(128);
  std::vector<double> numbers;
  for (int i = 0; i < 20'000; ++i) {
    const double size = std::exp(exponent(random));
    numbers.push_back(i % 3 == 0 ? -size : i % 7 == 0 ? 0 : size);
    quantiles.Add(numbers.back());
  }
  EXPECT_GT(quantiles.RelativeError(), 0.1);
  EXPECT_LT(quantiles.RelativeError(), 1);
  ExpectWithinError(quantiles, numbers);
}

TEST(StreamQuantiles, KnowZeroExactly) {
  StreamQuantiles quantiles(64);
  for (int i = 0; i < 1000; ++i) quantiles.Add(i < 600 ? 0 : 5);
  EXPECT_EQ(quantiles.Quantile(0.6), 0);
  EXPECT_NEAR(quantiles.Quantile(0.7), 5, 0.03);
}

}  // namespace
}  // namespace tare::format
