// correlation_test.cc: tests of correlation.h.
#include "stats/correlation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "simulation.h"
#include "stats/distribution.h"

namespace tare::stats {
namespace {

using Measure = Result<Measured> (*)(std::span<const double>, std::span<const double>, double);

double RankByCounting(const std::vector<double>& samples, double sample) {
  double rank = 0.5;
  for (double other : samples) rank += other < sample ? 1 : other == sample ? 0.5 : 0;
  return rank;
}

double SpearmanByCounting(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> rank_x;
  std::vector<double> rank_y;
  for (double sample : x) rank_x.push_back(RankByCounting(x, sample));
  for (double sample : y) rank_y.push_back(RankByCounting(y, sample));
  return Pearson(rank_x, rank_y, 0.95)->Value();
}

double KendallByCounting(const std::vector<double>& x, const std::vector<double>& y) {
  const auto sign = [](double d) { return d > 0 ? 1 : d < 0 ? -1 : 0; };
  double agree = 0;
  double parted_x = 0;
  double parted_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int dx = sign(x[i] - x[j]);
      const int dy = sign(y[i] - y[j]);
      agree += dx * dy;
      parted_x += dx != 0;
      parted_y += dy != 0;
    }
  }
  return agree / std::sqrt(parted_x * parted_y);
}

TEST(Pearson, GivesAnscombesFigure) {
  // Anscombe (1973), first set: r = 0.816; Fisher's interval tanh(atanh(r) -+ 1.96 / sqrt(8)).
  const std::vector<double> x = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
  const std::vector<double> y = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
  const Measured r = *Pearson(x, y, 0.95);
  EXPECT_NEAR(r.Value(), 0.81642, 5e-6);
  EXPECT_EQ(r.confidence, 0.95);
  EXPECT_NEAR(r.Low(), std::tanh(std::atanh(0.81642) - 1.959964 / std::sqrt(8.0)), 1e-5);
  EXPECT_NEAR(r.High(), std::tanh(std::atanh(0.81642) + 1.959964 / std::sqrt(8.0)), 1e-5);
}

TEST(Spearman, IsOneLessSixSquaredDifferences) {
  // Without ties rho = 1 - 6 sum d^2 / (n (n^2 - 1)); here the squared rank differences sum to 194,
  // so rho = 1 - 1164/990 = -29/165.
  const std::vector<double> x = {106, 100, 86, 101, 99, 103, 97, 113, 112, 110};
  const std::vector<double> y = {7, 27, 2, 50, 28, 29, 20, 12, 6, 17};
  EXPECT_NEAR(Spearman(x, y, 0.95)->Value(), -29.0 / 165, 1e-14);
}

TEST(Spearman, HasTheIntervalOfBonettAndWright) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const std::vector<double> y = {2, 1, 4, 3, 6, 5, 8, 7, 10, 9};
  // sum d^2 = 10, so rho = 1 - 60/990.
  const double rho = 1 - 60.0 / 990;
  const double half = NormalCritical(0.9) * std::sqrt((1 + rho * rho / 2) / 7);
  const Measured estimate = *Spearman(x, y, 0.9);
  EXPECT_NEAR(estimate.Value(), rho, 1e-14);
  EXPECT_NEAR(estimate.Low(), std::tanh(std::atanh(rho) - half), 1e-12);
  EXPECT_NEAR(estimate.High(), std::tanh(std::atanh(rho) + half), 1e-12);
}

TEST(Kendall, GivesThePublishedFigure) {
  // Hollander and Wolfe (1973), page 187: colour and taste of tuna, 26 of 36 pairs agree: tau 4/9.
  const std::vector<double> x = {44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1};
  const std::vector<double> y = {2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8};
  const Measured tau = *Kendall(x, y, 0.95);
  EXPECT_NEAR(tau.Value(), 4.0 / 9, 1e-15);
  // Fieller, Hartley and Pearson (1957): variance 0.437 / (n - 4).
  EXPECT_NEAR(std::atanh(tau.High()) - std::atanh(tau.Value()),
              NormalCritical(0.95) * std::sqrt(0.437 / 5), 1e-12);
}

TEST(RankCorrelations, AreThoseOfCountingWithAndWithoutTies) {
  Generator generator(51);
  for (int i = 0; i < 60; ++i) {
    const std::size_t count = 5 + generator.Below(i % 10 == 0 ? 800 : 60);
    const double steps = i % 2 == 0 ? 4 : 1e6;
    const auto draw = [&](Generator& g) { return std::floor(steps * g.Unit()); };
    auto x = Sample(generator, count, draw);
    auto y = Sample(generator, count, draw);
    x[0] = -1;
    y[1] = -1;
    ASSERT_NEAR(Spearman(x, y, 0.95)->Value(), SpearmanByCounting(x, y), 1e-12);
    ASSERT_NEAR(Kendall(x, y, 0.95)->Value(), KendallByCounting(x, y), 1e-12);
  }
}

TEST(Correlations, OfSeriesThatGoTogetherAreExactlyOne) {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> down;
  for (int i = 0; i < 1000; ++i) {
    x.push_back(i);
    y.push_back(std::exp(i / 100.0));
    down.push_back(-i);
  }
  for (Measure measure : {Spearman, Kendall}) {
    EXPECT_EQ(measure(x, y, 0.95)->Value(), 1);
    EXPECT_EQ(measure(x, y, 0.95)->Low(), 1);
    EXPECT_EQ(measure(x, down, 0.95)->Value(), -1);
    EXPECT_EQ(measure(x, down, 0.95)->High(), -1);
  }
  EXPECT_EQ(Pearson(x, down, 0.95)->Value(), -1);
  EXPECT_LT(Pearson(x, y, 0.95)->Value(), 1);
}

TEST(Correlations, DoNotDependOnTheUnit) {
  Generator generator(52);
  const auto x = Sample(generator, 50, DrawNormal);
  auto y = Sample(generator, 50, DrawNormal);
  for (Measure measure : {Pearson, Spearman, Kendall}) {
    const double plain = measure(x, y, 0.95)->Value();
    for (double factor : {0x1p1000, 0x1p-1000, 0x1p-1040}) {
      auto scaled = y;
      for (double& sample : scaled) sample *= factor;
      EXPECT_NEAR(measure(x, scaled, 0.95)->Value(), plain, 1e-6);
    }
  }
  const std::vector<double> tiny = {0, 0, 5e-324, 0, 0};
  EXPECT_EQ(Pearson(tiny, tiny, 0.95)->Value(), 1);
}

TEST(Correlations, HaveIntervalsThatCoverTheTruth) {
  // Normal pairs of correlation 0.6: Spearman's is 6/pi asin(r/2) and Kendall's 2/pi asin(r)
  // (Kendall 1948).
  Generator generator(53);
  const double r = 0.6;
  const double truth[] = {r, 6 / std::numbers::pi * std::asin(r / 2),
                          2 / std::numbers::pi * std::asin(r)};
  constexpr Measure kMeasures[] = {Pearson, Spearman, Kendall};
  constexpr int kTrials = 2000;
  int covered[3] = {};
  for (int i = 0; i < kTrials; ++i) {
    const auto x = Sample(generator, 40, DrawNormal);
    auto y = Sample(generator, 40, DrawNormal);
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = r * x[k] + std::sqrt(1 - r * r) * y[k];
    for (std::size_t k = 0; k < 3; ++k) {
      covered[k] += kMeasures[k](x, y, 0.95)->Contains(truth[k]);
    }
  }
  EXPECT_TRUE(IsRate(covered[0], kTrials, 0.945, 0.955));
  EXPECT_TRUE(IsRate(covered[1], kTrials, 0.935, 0.965));
  EXPECT_TRUE(IsRate(covered[2], kTrials, 0.935, 0.965));
}

TEST(Correlations, RefuseBadInput) {
  const std::vector<double> x = {1, 2, 3, 4, 5};
  const std::vector<double> constant(5, 2.0);
  const std::vector<double> broken = {1, 2, std::numeric_limits<double>::quiet_NaN(), 4, 5};
  for (Measure measure : {Pearson, Spearman, Kendall}) {
    EXPECT_TRUE(measure(x, x, 0.95));
    EXPECT_FALSE(measure(x, std::vector<double>{1, 2, 3, 4}, 0.95));
    EXPECT_FALSE(measure(std::vector<double>{1, 2, 3, 4}, std::vector<double>{1, 2, 3, 4}, 0.95));
    EXPECT_FALSE(measure(x, constant, 0.95));
    EXPECT_FALSE(measure(constant, x, 0.95));
    EXPECT_FALSE(measure(x, broken, 0.95));
    EXPECT_FALSE(measure(x, x, 1));
    EXPECT_FALSE(measure({}, {}, 0.95));
  }
  EXPECT_EQ(Spearman(x, constant, 0.95).error().message,
            "Spearman's correlation: one series is constant (2), so the correlation is undefined");
}

}  // namespace
}  // namespace tare::stats
