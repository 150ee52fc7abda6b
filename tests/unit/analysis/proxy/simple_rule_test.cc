// simple_rule_test.cc: tests the rule that judges a program by one number; times are not compared
// with it.
#include "analysis/proxy/simple_rule.h"

#include <gtest/gtest.h>

namespace tare::proxy {
namespace {

MetricRatio Given(std::string_view metric, double value, const std::string& unit = "") {
  MetricRatio ratio;
  ratio.metric = metric;
  ratio.unit = unit;
  ratio.ratio = Unbounded(value);
  SetVerdict(0.1, {}, ratio);
  return ratio;
}

TEST(PlainRule, SaysNothingWithoutARunTime) {
  const ProgramRatios program{"p", {Given("stores", 2)}};
  EXPECT_EQ(AcceptedByRunTime(program), std::nullopt);
  EXPECT_TRUE(MisledByRunTime(program).empty());
}

TEST(PlainRule, OtherTimesDoNotSurpriseIt) {
  const ProgramRatios slow{"p", {Given(kRunTime, 2), Given("cpu-time", 1, "s"), Given("loads", 1)}};
  const auto misled = MisledByRunTime(slow);
  ASSERT_EQ(misled.size(), 1u);
  EXPECT_EQ(misled[0].metric, "loads");
  EXPECT_EQ(misled[0].how, Misled::How::kRejected);
}

TEST(PlainRule, DoubtfulMetricsDoNotCount) {
  MetricRatio doubtful = Given("stores", 1.2);
  doubtful.ratio.verdict = Verdict::kDoubtful;
  const ProgramRatios program{"p", {Given(kRunTime, 1.02), doubtful}};
  EXPECT_EQ(AcceptedByRunTime(program), true);
  EXPECT_TRUE(MisledByRunTime(program).empty());
}

}  // namespace
}  // namespace tare::proxy
