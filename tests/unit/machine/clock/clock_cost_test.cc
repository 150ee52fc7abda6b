// clock_cost_test.cc: tests the description of clock steps, and the guarantees of the measurement.
#include "machine/clock/clock_cost.h"

#include <gtest/gtest.h>

#include <vector>

#include "machine/host/affinity.h"

namespace tare::clock {
namespace {

CostConfig Quick() {
  CostConfig config;
  config.batches = 20;
  config.batch_seconds = 20e-6;
  config.step_seconds = 0.01;
  return config;
}

TEST(DescribeSteps, CountsOrdersAndDividesThem) {
  const std::vector<std::uint64_t> forward = {6, 4, 10, 4, 8};
  const Steps steps = DescribeSteps(forward, 3).value();
  EXPECT_EQ(steps.readings, 8u);
  EXPECT_EQ(steps.zero, 3u);
  EXPECT_EQ(steps.seen, 5u);
  EXPECT_EQ(steps.min, 4u);
  EXPECT_EQ(steps.median, 6);
  EXPECT_EQ(steps.max, 10u);
  EXPECT_EQ(steps.divisor, 2u);
  // 4 4 6 are in [4, 7], 8 10 in [8, 15].
  EXPECT_EQ(steps.histogram, (std::vector<std::uint64_t>{0, 0, 3, 2}));
}

TEST(DescribeSteps, RecordsTheLargestPossibleStep) {
  const std::vector<std::uint64_t> forward = {1, ~std::uint64_t{0}};
  const Steps steps = DescribeSteps(forward, 0).value();
  EXPECT_EQ(steps.histogram.size(), 64u);
  EXPECT_EQ(steps.histogram.back(), 1u);
  EXPECT_EQ(steps.max, ~std::uint64_t{0});
}

TEST(DescribeSteps, RefusesAStepOfNothing) {
  const std::vector<std::uint64_t> forward = {1, 0};
  EXPECT_FALSE(DescribeSteps(forward, 0));
}

TEST(ResolutionTicks, IsTheSmallestStepOfAClockWithRepeatedReadings) {
  const std::vector<std::uint64_t> forward = {3'999'999, 4'000'001};
  EXPECT_EQ(ResolutionTicks(DescribeSteps(forward, 500).value()), 3'999'999u);
}

TEST(ResolutionTicks, IsTheCommonDivisorWhereReadingTakesLongerThanATick) {
  const std::vector<std::uint64_t> forward = {26, 52, 78};
  EXPECT_EQ(ResolutionTicks(DescribeSteps(forward, 0).value()), 26u);
}

TEST(ResolutionTicks, IsUnknownWithoutAStep) {
  EXPECT_FALSE(ResolutionTicks(DescribeSteps({}, 100).value()));
}

TEST(IntervalLongEnough, IsAHundredAndAThousandOverheads) {
  const auto enough = IntervalLongEnough(30e-9, 1e-9);
  EXPECT_DOUBLE_EQ(enough.hundredfold, 3e-6);
  EXPECT_DOUBLE_EQ(enough.thousandfold, 30e-6);
  EXPECT_FALSE(enough.limited_by_resolution);
}

TEST(IntervalLongEnough, FollowsTheResolutionWhereThatIsCoarser) {
  const auto enough = IntervalLongEnough(9e-9, 4e-3);
  EXPECT_DOUBLE_EQ(enough.hundredfold, 0.4);
  EXPECT_TRUE(enough.limited_by_resolution);
  EXPECT_FALSE(IntervalLongEnough(9e-9, std::nullopt).limited_by_resolution);
}

TEST(MeasureClockCost, GivesOrderedIntervalsAndLeavesTheAffinityAlone) {
  const auto before = host::AllowedProcessors().value();
  CostConfig config = Quick();
  config.processor = before.front();
  const auto cost = MeasureClockCost(Row(ClockId::kMonotonic), config, NoProgress).value();
  EXPECT_GT(cost.read.Value(), 0);
  EXPECT_TRUE(cost.read.Contains(cost.read.Value()));
  EXPECT_TRUE(cost.overhead.Contains(cost.overhead.Value()));
  EXPECT_EQ(cost.steps.backward, 0u);
  EXPECT_EQ(host::AllowedProcessors().value(), before);
}

TEST(MeasureClockCost, TakesTheCostOfAReadingWhereTheClockIsTooCoarseForPairs) {
  const auto cost = MeasureClockCost(Row(ClockId::kMonotonicCoarse), Quick(), NoProgress).value();
  EXPECT_EQ(cost.overhead_source, OverheadSource::kReadCost);
  EXPECT_EQ(cost.overhead.Value(), cost.read.Value());
}

TEST(MeasureClockCost, StopsOnRequest) {
  const auto before = host::AllowedProcessors().value();
  CostConfig config = Quick();
  config.processor = before.back();
  const auto stopped = MeasureClockCost(Row(ClockId::kMonotonic), config,
                                        [](double, std::string_view) { return false; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::kInterrupted);
  EXPECT_EQ(host::AllowedProcessors().value(), before);
}

TEST(MeasureClockCost, RefusesImpossibleSettings) {
  for (auto spoil :
       {+[](CostConfig& c) { c.batches = 0; }, +[](CostConfig& c) { c.batches = 9; },
        +[](CostConfig& c) { c.batch_seconds = 0; }, +[](CostConfig& c) { c.batch_seconds = 1e9; },
        +[](CostConfig& c) { c.step_seconds = -1; }, +[](CostConfig& c) { c.confidence = 2; },
        +[](CostConfig& c) { c.processor = 1023; }}) {
    CostConfig config = Quick();
    spoil(config);
    EXPECT_FALSE(MeasureClockCost(Row(ClockId::kMonotonic), config, NoProgress));
  }
}

}  // namespace
}  // namespace tare::clock
