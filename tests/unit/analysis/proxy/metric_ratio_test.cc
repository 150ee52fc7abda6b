// metric_ratio_test.cc: tests the coverage of ratio intervals, and the doubts that are reported.
#include "analysis/proxy/metric_ratio.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stats/random.h"

namespace tare::proxy {
namespace {

TEST(RatioOfPairs, DriftThatHitsBothDoesNotCount) {
  std::vector<double> vanilla;
  std::vector<double> instrumented;
  for (int i = 0; i < 10; ++i) {
    vanilla.push_back(1.0 + 0.3 * i);
    instrumented.push_back((1.5 + 0.001 * (i % 3)) * vanilla.back());
  }
  const auto ratio = RatioOfPairs(vanilla, instrumented, 0.95);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->Value(), 1.501, 0.001);
  EXPECT_GE(ratio->Low(), 1.499);
  EXPECT_LE(ratio->High(), 1.503);
  EXPECT_FALSE(ratio->exact);
}

TEST(RatioOfPairs, OneWildRunDoesNotMoveIt) {
  std::vector<double> vanilla(10, 1.0);
  std::vector<double> instrumented(10, 1.02);
  vanilla[3] = 40;
  const auto ratio = RatioOfPairs(vanilla, instrumented, 0.95);
  ASSERT_TRUE(ratio);
  EXPECT_DOUBLE_EQ(ratio->Value(), 1.02);
  EXPECT_DOUBLE_EQ(ratio->Low(), 1.02);
}

TEST(RatioOfPairs, HoldsTheRatioOfTheMediansThatAreShownBesideIt) {
  // 6 of 10 pairs have the ratio 9.3, but the medians are 7 and 50.
  std::vector<double> vanilla;
  std::vector<double> instrumented;
  for (int i = 0; i < 20; ++i) {
    for (const double amount : {1.0, 1.0, 1.0, 20.0, 20.0, 20.0}) {
      vanilla.push_back(amount);
      instrumented.push_back(9.3 * amount);
    }
    vanilla.insert(vanilla.end(), 4, 7);
    instrumented.insert(instrumented.end(), 4, 50);
  }
  const auto ratio = RatioOfPairs(vanilla, instrumented, 0.95);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->Value(), 50.0 / 7, 1e-9);
  EXPECT_LE(ratio->Low(), 50.0 / 7);
  EXPECT_NEAR(ratio->High(), 9.3, 1e-9);
}

TEST(RatioOfPairs, SameAmountsInEveryPairAreExact) {
  const std::vector<double> vanilla(10, 200);
  const std::vector<double> instrumented(10, 250);
  const auto ratio = RatioOfPairs(vanilla, instrumented, 0.95);
  ASSERT_TRUE(ratio);
  EXPECT_TRUE(ratio->exact);
  EXPECT_DOUBLE_EQ(ratio->Value(), 1.25);
}

// Log-normal noise of 10 % on both sides. By the binomial distribution, the interval from order
// statistics of 10 pairs has a coverage of 97.9 %. 2000 trials have a standard error of 0.3 %.
TEST(RatioOfPairs, IntervalsContainTheTrueRatioAsOftenAsStated) {
  stats::Generator generator(11);
  const auto noise = [&] {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(generator.Below(1 << 20)) / (1 << 20);
    return std::exp(0.1 * sum);
  };
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> vanilla;
    std::vector<double> instrumented;
    for (int i = 0; i < 10; ++i) {
      vanilla.push_back(noise());
      instrumented.push_back(1.3 * noise());
    }
    const auto ratio = RatioOfPairs(vanilla, instrumented, 0.95);
    ASSERT_TRUE(ratio);
    covered += static_cast<int>(ratio->Low() <= 1.3 && 1.3 <= ratio->High());
  }
  EXPECT_NEAR(covered / double{kTrials}, 0.979, 0.012);
}

TEST(RatioOfPairs, ZeroesAmongTheAmountsGiveTheRatioOfMeans) {
  const std::vector<double> vanilla = {0, 200, 210, 190, 205, 195, 200, 200};
  const std::vector<double> instrumented = {200, 200, 210, 190, 205, 195, 200, 0};
  const auto ratio = RatioOfPairs(vanilla, instrumented, 0.95);
  ASSERT_TRUE(ratio);
  EXPECT_DOUBLE_EQ(ratio->Value(), 1);
  EXPECT_LT(ratio->Low(), 0.9);
  EXPECT_GT(ratio->High(), 1.1);
}

TEST(RatioOfPairs, NothingInTheOriginalHasNoRatio) {
  const std::vector<double> none(10, 0);
  const std::vector<double> some(10, 7);
  const auto ratio = RatioOfPairs(none, some, 0.95);
  ASSERT_FALSE(ratio);
  EXPECT_EQ(ratio.error().message, "the vanilla program has a count of 0, so there is no ratio");
  EXPECT_FALSE(RatioOfPairs({}, {}, 0.95));
  EXPECT_FALSE(RatioOfPairs(std::vector<double>{1}, std::vector<double>{1}, 0.95));
}

TEST(RatioOfPairs, ThreePairsHaveAnIntervalToo) {
  const std::vector<double> vanilla = {1, 1, 1};
  const std::vector<double> instrumented = {1.1, 1.2, 1.3};
  const auto ratio = RatioOfPairs(vanilla, instrumented, 0.95);
  ASSERT_TRUE(ratio);
  EXPECT_LT(ratio->Low(), 1.1);
  EXPECT_GT(ratio->High(), 1.3);
}

TEST(RatioOverLayouts, TheSameRatioEverywhereIsExact) {
  const std::vector<double> vanilla = {100, 200, 400};
  const std::vector<double> instrumented = {150, 300, 600};
  const auto ratio = RatioOverLayouts(vanilla, instrumented, 0.95);
  ASSERT_TRUE(ratio);
  EXPECT_TRUE(ratio->exact);
  EXPECT_EQ(ratio->Low(), 1.5);
}

// Student's t with 2 degrees of freedom at 95 % is 4.303. The logarithms are 0, 0.1 and 0.2, so the
// mean is 0.1 and its standard error 0.1 / sqrt(3).
TEST(RatioOverLayouts, OthersHaveStudentsIntervalOfTheirLogarithms) {
  const std::vector<double> vanilla = {1, 1, 1};
  const std::vector<double> instrumented = {1, std::exp(0.1), std::exp(0.2)};
  const auto ratio = RatioOverLayouts(vanilla, instrumented, 0.95);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(std::log(ratio->Value()), 0.1, 1e-9);
  EXPECT_NEAR(std::log(ratio->High()), 0.1 + 4.3027 * 0.1 / std::sqrt(3.0), 1e-4);
  EXPECT_NEAR(std::log(ratio->Low()), 0.1 - 4.3027 * 0.1 / std::sqrt(3.0), 1e-4);
}

TEST(RatioOverLayouts, NothingInTheOriginalHasNoRatio) {
  EXPECT_FALSE(RatioOverLayouts(std::vector<double>{0, 5}, std::vector<double>{5, 5}, 0.95));
}

MetricRatio Counted(double vanilla, double instrumented) {
  MetricRatio metric{"stores", Source::kEngine};
  metric.vanilla = {vanilla};
  metric.instrumented = {instrumented};
  TakeLayouts(0.95, metric);
  return metric;
}

TEST(SetVerdict, FewEventsAreDoubtfulWhateverTheirRatio) {
  MetricRatio metric = Counted(50, 99);
  SetVerdict(0.1, {}, metric);
  EXPECT_EQ(metric.ratio.verdict, Verdict::kDoubtful);
  EXPECT_EQ(metric.ratio.reason, "fewer than 100 events in either program");
  metric = Counted(50, 100);
  SetVerdict(0.1, {}, metric);
  EXPECT_EQ(metric.ratio.verdict, Verdict::kRefused);
}

TEST(SetVerdict, OtherWorkMakesAValidRatioDoubtful) {
  const std::vector<std::string> doubts = {"the programs write different output"};
  MetricRatio metric = Counted(1000, 1001);
  SetVerdict(0.1, doubts, metric);
  EXPECT_EQ(metric.ratio.verdict, Verdict::kDoubtful);
  EXPECT_EQ(metric.ratio.reason, doubts[0]);
  metric = Counted(1000, 2000);
  SetVerdict(0.1, doubts, metric);
  EXPECT_EQ(metric.ratio.verdict, Verdict::kRefused);
}

}  // namespace
}  // namespace tare::proxy
