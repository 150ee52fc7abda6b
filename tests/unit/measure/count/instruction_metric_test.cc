// instruction_metric_test.cc: tests the table of metrics, and their sums.
#include "measure/count/instruction_metric.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace tare::count {
namespace {

TEST(MetricTable, HasTheOrderOfTheEnumeration) {
  ASSERT_EQ(MetricTable().size(), kMetrics);
  for (std::size_t i = 0; i < kMetrics; ++i) {
    EXPECT_EQ(MetricTable()[i].metric, static_cast<Metric>(i)) << MetricTable()[i].id;
  }
}

TEST(MetricTable, HasNoIdTwice) {
  std::set<std::string_view> ids;
  for (const MetricText& text : MetricTable()) EXPECT_TRUE(ids.insert(text.id).second) << text.id;
}

TEST(MetricCounts, AddEachMetricToItself) {
  MetricCounts first;
  first.Add(Metric::kInstructions, 3);
  first.Add(Metric::kFloatingExtended, 5);
  MetricCounts second;
  second.Add(Metric::kInstructions, 4);
  second.Add(Metric::kStores, 1);
  first += second;
  EXPECT_EQ(first[Metric::kInstructions], 7u);
  EXPECT_EQ(first[Metric::kStores], 1u);
  EXPECT_EQ(first[Metric::kFloatingExtended], 5u);
  EXPECT_EQ(first[Metric::kLoads], 0u);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace tare::count
