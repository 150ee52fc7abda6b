// value_cycles_test.cc: tests the cycle with the most latency per iteration on small graphs.
#include "predict/signature/value_cycles.h"

#include <gtest/gtest.h>

namespace tare::signature {
namespace {

Value ValueOf(double latency, std::vector<ValueInput> inputs, std::uint32_t piece = 0) {
  Value value;
  value.kind = ValueKind::kOperation;
  value.latency = latency;
  value.piece = piece;
  value.inputs = std::move(inputs);
  return value;
}

ValueCycle Longest(const std::vector<Value>& values) {
  const std::vector<double> weights(values.size(), 1.0);
  return LongestCycle(values, FindComponents(values), weights);
}

TEST(LongestCycle, OfOneValueIsItsLatency) {
  const ValueCycle cycle = Longest({ValueOf(4, {{0, true, false}})});
  EXPECT_DOUBLE_EQ(cycle.latency, 4);
  EXPECT_DOUBLE_EQ(cycle.iterations, 1);
  EXPECT_EQ(cycle.values, std::vector<std::uint32_t>{0});
}

TEST(LongestCycle, WithoutCycleIsEmpty) {
  const ValueCycle cycle = Longest({ValueOf(4, {}), ValueOf(4, {{0, false, false}})});
  EXPECT_DOUBLE_EQ(cycle.latency, 0);
  EXPECT_TRUE(cycle.values.empty());
}

// 0 needs 1 of the iteration before and 1 needs 0 of the iteration before: 10 + 3 in two.
TEST(LongestCycle, IsPerIteration) {
  const ValueCycle cycle =
      Longest({ValueOf(10, {{1, true, false}}), ValueOf(3, {{0, true, false}})});
  EXPECT_DOUBLE_EQ(cycle.latency, 6.5);
  EXPECT_DOUBLE_EQ(cycle.iterations, 2);
  EXPECT_EQ(cycle.values.size(), 2u);
}

// Of two cycles through 0, the longer; of two components, the longer.
TEST(LongestCycle, IsTheLongestOfAll) {
  const ValueCycle cycle = Longest({
      ValueOf(1, {{1, true, false}, {2, true, false}}),
      ValueOf(2, {{0, false, false}}),
      ValueOf(5, {{0, false, false}}),
      ValueOf(5.5, {{3, true, false}}),
  });
  EXPECT_DOUBLE_EQ(cycle.latency, 6);
  EXPECT_EQ(cycle.values, (std::vector<std::uint32_t>{2, 0}));
}

// A round of one iteration with 7 is better than one of two with 12.
TEST(LongestCycle, PrefersTheMeanToTheSum) {
  const ValueCycle cycle =
      Longest({ValueOf(7, {{0, true, false}, {1, true, false}}), ValueOf(5, {{0, true, false}})});
  EXPECT_DOUBLE_EQ(cycle.latency, 7);
}

TEST(LongestCycle, WeighsAndExcludesValues) {
  const std::vector<Value> values = {ValueOf(20, {{0, true, false}}),
                                     ValueOf(4, {{1, true, false}})};
  const Components components = FindComponents(values);
  const std::vector<double> rare = {0.01, 1.0};
  EXPECT_EQ(LongestCycle(values, components, rare).values, std::vector<std::uint32_t>{1});
  const std::vector<double> excluded = {1.0, 0.0};
  EXPECT_EQ(LongestCycle(values, components, excluded).values, std::vector<std::uint32_t>{0});
}

TEST(Components, AreNumberedByNeed) {
  const std::vector<Value> values = {ValueOf(1, {{1, false, false}}),
                                     ValueOf(1, {{2, false, false}}), ValueOf(1, {})};
  const Components components = FindComponents(values);
  EXPECT_GT(components.of[0], components.of[1]);
  EXPECT_GT(components.of[1], components.of[2]);
  for (const bool cyclic : components.cyclic) EXPECT_FALSE(cyclic);
}

}  // namespace
}  // namespace tare::signature
