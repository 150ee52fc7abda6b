// interval_test.cc: tests of interval.h.
#include "stats/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "simulation.h"
#include "stats/distribution.h"
#include "tests/unit/stats/special_numbers.h"

namespace tare::stats {
namespace {

std::vector<double> Counting(std::size_t count) {
  std::vector<double> samples(count);
  std::iota(samples.begin(), samples.end(), 1.0);
  return samples;
}

TEST(MeanInterval, IsStudents) {
  // 1 to 10: mean 5.5, deviation sqrt(82.5 / 9) = 3.02765, t(9) = 2.262157: +-2.16585.
  const Measured estimate = *MeanInterval(Counting(10), 0.95);
  EXPECT_DOUBLE_EQ(estimate.Value(), 5.5);
  EXPECT_NEAR(estimate.Low(), 5.5 - 2.16585, 1e-5);
  EXPECT_NEAR(estimate.High(), 5.5 + 2.16585, 1e-5);
  EXPECT_NEAR(estimate.HalfWidth(), 2.16585, 1e-5);
}

TEST(MeanInterval, OfEqualSamplesHasNoWidth) {
  const Measured estimate = *MeanInterval(std::vector<double>{3, 3, 3}, 0.95);
  EXPECT_EQ(estimate.Low(), 3);
  EXPECT_EQ(estimate.High(), 3);
}

TEST(Intervals, StateTheConfidenceThatTheyWereComputedFor) {
  const auto samples = Counting(20);
  for (const double confidence : {0.5, 0.9, 0.99}) {
    for (const auto& interval :
         {MeanInterval(samples, confidence), MedianInterval(samples, confidence),
          ProportionInterval(3, 20, confidence),
          RatioOfMeansInterval(samples, samples, confidence)}) {
      ASSERT_TRUE(interval);
      EXPECT_EQ(interval->confidence, confidence);
      EXPECT_FALSE(interval->exact);
    }
  }
}

TEST(MeanInterval, CoversTheMeanAsOftenAsItSays) {
  Generator generator(1);
  constexpr int kTrials = 2000;
  int covered = 0;
  for (int i = 0; i < kTrials; ++i) {
    const auto samples = Sample(generator, 8, DrawNormal);
    covered += MeanInterval(samples, 0.95)->Contains(0);
  }
  EXPECT_TRUE(IsRate(covered, kTrials, 0.95));
}

TEST(MeanInterval, RefusesWhatHasNoInterval) {
  EXPECT_EQ(MeanInterval(std::vector<double>{1}, 0.95).error().message,
            "interval of the mean: needs at least 2 samples, got 1");
  EXPECT_FALSE(MeanInterval(std::vector<double>{1, kNoNumber}, 0.95));
  EXPECT_EQ(MeanInterval(Counting(3), 95).error().message,
            "interval of the mean: the confidence must be between 0 and 1, not 95 (usually 0.95)");
  for (double confidence : {0.0, 1.0, -0.5, kNoNumber}) {
    EXPECT_FALSE(MeanInterval(Counting(3), confidence)) << confidence;
  }
  EXPECT_FALSE(MeanInterval(std::vector<double>{-1.7e308, 1.7e308}, 0.95));
}

TEST(MedianInterval, TakesTheOrderStatisticsOfTheTables) {
  // Ranks k and n + 1 - k for 95 %: 6 samples give 1 (96.9 %), 10 give 2 (97.9 %), 20 give 6
  // (95.9 %), 100 give 40 (96.5 %): Conover (1999), by the binomial distribution.
  for (auto [n, k] : {std::pair{6, 1}, {10, 2}, {20, 6}, {100, 40}}) {
    const Measured estimate = *MedianInterval(Counting(static_cast<std::size_t>(n)), 0.95);
    EXPECT_EQ(estimate.Value(), (n + 1) / 2.0);
    EXPECT_EQ(estimate.Low(), k) << n;
    EXPECT_EQ(estimate.High(), n + 1 - k) << n;
  }
}

TEST(MedianInterval, SaysHowManySamplesItNeeds) {
  // The extremes of 5 enclose the median with probability 1 - 2/32 = 93.75 %.
  EXPECT_EQ(MedianInterval(Counting(5), 0.95).error().message,
            "interval of the median: 5 samples cannot reach a confidence of 0.95; use at least 6");
  EXPECT_TRUE(MedianInterval(Counting(5), 0.9375));
  EXPECT_FALSE(MedianInterval(Counting(1), 0.5));
  EXPECT_TRUE(MedianInterval(Counting(2), 0.5));
}

TEST(MedianInterval, OneWildSampleDoesNotMoveIt) {
  std::vector<double> samples = Counting(20);
  const Measured before = *MedianInterval(samples, 0.95);
  samples.back() = 1e300;
  const Measured after = *MedianInterval(samples, 0.95);
  EXPECT_EQ(before.Value(), after.Value());
  EXPECT_EQ(before.Low(), after.Low());
  EXPECT_EQ(before.High(), after.High());
}

TEST(MedianInterval, CoversTheMedianOfASkewPopulation) {
  // The exact coverage for 20 samples with k = 6 is 1 - 2 P(Bin(20, 1/2) <= 5) = 0.9586.
  Generator generator(2);
  constexpr int kTrials = 2000;
  int covered = 0;
  for (int i = 0; i < kTrials; ++i) {
    const auto samples = Sample(generator, 20, DrawExponential);
    covered += MedianInterval(samples, 0.95)->Contains(std::log(2.0));
  }
  EXPECT_TRUE(IsRate(covered, kTrials, 1 - 2 * BinomialCdf(5, 20, 0.5)));
}

TEST(ProportionInterval, NormalFormulaGivesTheTextbooksFigures) {
  // Lilja (2000), example of section 6.2.3. It prints (0.0786, 0.0840), which is 852/10482 -+ one
  // standard error; 1.96 standard errors, as its formula says, are (0.0761, 0.0865).
  const Measured clock = *ProportionInterval(852, 10482, 0.95, ProportionMethod::kNormal);
  EXPECT_NEAR(clock.Low(), 0.0761, 5e-5);
  EXPECT_NEAR(clock.High(), 0.0865, 5e-5);
  const double one_error = clock.HalfWidth() / NormalCritical(0.95);
  EXPECT_NEAR(clock.Value() - one_error, 0.0786, 5e-5);
  EXPECT_NEAR(clock.Value() + one_error, 0.0840, 5e-5);
  // The same, section 6.3.1, equation 6.3.
  const Measured profile = *ProportionInterval(12, 800, 0.99, ProportionMethod::kNormal);
  EXPECT_NEAR(profile.Low(), 0.0039, 5e-5);
  EXPECT_NEAR(profile.High(), 0.0261, 5e-5);
}

TEST(ProportionInterval, WilsonIsThePublishedOne) {
  // Newcombe (1998), table I, method 3: 81 of 263 and 15 of 148, 0 of 20 and 1 of 29.
  const auto is = [](std::uint64_t m, std::uint64_t n, double low, double high) {
    const Measured proportion = *ProportionInterval(m, n, 0.95);
    EXPECT_NEAR(proportion.Low(), low, 5e-5) << m;
    EXPECT_NEAR(proportion.High(), high, 5e-5) << m;
  };
  is(81, 263, 0.2553, 0.3662);
  is(15, 148, 0.0624, 0.1605);
  is(0, 20, 0.0000, 0.1611);
  is(1, 29, 0.0061, 0.1718);
}

TEST(ProportionInterval, StaysWithinZeroAndOne) {
  for (auto method : {ProportionMethod::kWilson, ProportionMethod::kNormal}) {
    for (std::uint64_t m : {0u, 1u, 9u, 10u}) {
      const Measured proportion = *ProportionInterval(m, 10, 0.999, method);
      EXPECT_GE(proportion.Low(), 0);
      EXPECT_LE(proportion.High(), 1);
      EXPECT_TRUE(proportion.Contains(static_cast<double>(m) / 10));
    }
  }
  const std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(ProportionInterval(max, max, 0.95)->High(), 1);
}

TEST(ProportionInterval, OfWilsonCoversWhereTheNormalOneDoesNot) {
  // Brown, Cai and DasGupta (2001): over all proportions the average coverage of Wilson's interval
  // is about 95 %; that of the normal approximation is far lower for few events.
  Generator generator(3);
  constexpr int kTrials = 4000;
  int wilson = 0;
  int normal = 0;
  for (int i = 0; i < kTrials; ++i) {
    const double p = generator.Unit();
    std::uint64_t m = 0;
    for (int k = 0; k < 30; ++k) m += generator.Unit() < p;
    wilson += ProportionInterval(m, 30, 0.95)->Contains(p);
    normal += ProportionInterval(m, 30, 0.95, ProportionMethod::kNormal)->Contains(p);
  }
  EXPECT_TRUE(IsRate(wilson, kTrials, 0.945, 0.957));
  EXPECT_FALSE(IsRate(normal, kTrials, 0.945, 0.957));
}

TEST(ProportionInterval, RefusesInvalidProportions) {
  EXPECT_FALSE(ProportionInterval(1, 0, 0.95));
  EXPECT_EQ(ProportionInterval(3, 2, 0.95).error().message,
            "interval of a proportion: 3 of 2 is not a proportion");
  EXPECT_FALSE(ProportionInterval(1, 2, 1.5));
}

TEST(RatioOfMeansInterval, OfAConstantDenominatorIsTheMeansInterval) {
  const Measured mean = *MeanInterval(Counting(10), 0.95);
  const Measured ratio = *RatioOfMeansInterval(Counting(10), std::vector<double>{-2, -2, -2}, 0.95);
  EXPECT_DOUBLE_EQ(ratio.Value(), mean.Value() / -2);
  EXPECT_NEAR(ratio.Low(), mean.High() / -2, 1e-12);
  EXPECT_NEAR(ratio.High(), mean.Low() / -2, 1e-12);
}

TEST(RatioOfMeansInterval, HasTheEndsThatFiellerDefines) {
  // Fieller (1954): the limits R solve (a - R b)^2 = t^2 (va + R^2 vb). Here a = 5.5, va =
  // 9.16667/10, b = 3, vb = 2.5/5; t has Satterthwaite's degrees of freedom; the ratio is 1.83333.
  const Measured ratio = *RatioOfMeansInterval(Counting(10), Counting(5), 0.9);
  const double va = 82.5 / 9 / 10;
  const double vb = 0.5;
  const double r = 5.5 / 3;
  const double degrees = std::pow(va + r * r * vb, 2) / (va * va / 9 + std::pow(r * r * vb, 2) / 4);
  const double t = StudentCritical(0.9, degrees);
  for (double end : {ratio.Low(), ratio.High()}) {
    EXPECT_NEAR(std::pow(5.5 - end * 3, 2), t * t * (va + end * end * vb), 1e-9);
  }
  EXPECT_LT(ratio.Low(), r);
  EXPECT_GT(ratio.High(), r);
}

TEST(RatioOfMeansInterval, CoversTheRatio) {
  Generator generator(4);
  constexpr int kTrials = 2000;
  int covered = 0;
  for (int i = 0; i < kTrials; ++i) {
    const auto slow = Sample(generator, 12, [](Generator& g) { return 30 + 3 * DrawNormal(g); });
    const auto fast = Sample(generator, 8, [](Generator& g) { return 10 + 2 * DrawNormal(g); });
    covered += RatioOfMeansInterval(slow, fast, 0.95)->Contains(3);
  }
  EXPECT_TRUE(IsRate(covered, kTrials, 0.94, 0.96));
}

TEST(RatioOfMeansInterval, RefusesADenominatorThatMayBeZero) {
  EXPECT_FALSE(RatioOfMeansInterval(Counting(10), std::vector<double>{-1, 1, 0.5}, 0.95));
  EXPECT_FALSE(RatioOfMeansInterval(Counting(10), std::vector<double>{0, 0}, 0.95));
  EXPECT_FALSE(RatioOfMeansInterval(Counting(1), Counting(5), 0.95));
  EXPECT_FALSE(RatioOfMeansInterval(Counting(5), Counting(1), 0.95));
}

TEST(RatioOfMeansInterval, DoesNotDependOnTheUnit) {
  std::vector<double> a = Counting(10);
  std::vector<double> b = {9, 10, 11};
  const Measured ratio = *RatioOfMeansInterval(a, b, 0.95);
  for (double& x : a) x *= 0x1p900;
  for (double& x : b) x *= 0x1p900;
  const Measured scaled = *RatioOfMeansInterval(a, b, 0.95);
  EXPECT_DOUBLE_EQ(ratio.Low(), scaled.Low());
  EXPECT_DOUBLE_EQ(ratio.High(), scaled.High());
}

}  // namespace
}  // namespace tare::stats
