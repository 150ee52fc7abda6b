// output_metrics_test.cc: numbers in the output of programs.
#include "analysis/study/output_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/document.h"
#include "report/json.h"
#include "tests/unit/analysis/study/small_study.h"

namespace tare::study {
namespace {

using testing::HasSubstr;

std::vector<OutputMetric> Metric(const std::string& keys) {
  return Parsed(
             "format = 1\n[[program]]\nname = \"a\"\ncommand = \"true\"\n[[metric]]\nname = "
             "\"m\"\n" +
             keys)
      .output_metrics;
}

TEST(ReadMetrics, TakesTheLastMatchOfAPattern) {
  const auto values = ReadMetrics(Metric("pattern = 't: ([0-9.]+) s'"), "t: 1.5 s\nt: 2.5 s\n");
  ASSERT_TRUE(values.has_value());
  EXPECT_DOUBLE_EQ(AsDouble(values->front().value), 2.5);
  EXPECT_THAT(ReadMetrics(Metric("pattern = 'x: ([0-9]+)'"), "y: 3").error().message,
              HasSubstr("no line of the output matches"));
}

TEST(ReadMetrics, KeepsWholeNumbersWhole) {
  const auto values = ReadMetrics(Metric("pattern = '([0-9]+)'"), "9007199254740993\n");
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(std::get<std::int64_t>(values->front().value), 9007199254740993);
}

TEST(ReadMetrics, FollowsAJsonPointer) {
  const auto metric = Metric("json = '/a/1/b'");
  const auto values = ReadMetrics(metric, R"({"a": [0, {"b": 7.5}]})");
  ASSERT_TRUE(values.has_value());
  EXPECT_DOUBLE_EQ(AsDouble(values->front().value), 7.5);
  EXPECT_FALSE(ReadMetrics(metric, R"({"a": [0]})").has_value());
  EXPECT_FALSE(ReadMetrics(metric, "no json").has_value());
}

TEST(ReadMetrics, FindsACellOfADocument) {
  report::Document document;
  document.version = "1";
  document.command = "timer";
  report::Table table{"clocks", "Clocks", {{"clock"}, {"cost", "s"}}, {}};
  table.rows.push_back({std::string("tsc"), Unbounded(2e-8)});
  table.rows.push_back({std::string("gone"), Absent("no such clock")});
  document.blocks.emplace_back(table);
  const std::string json = report::ToJson(document);
  const auto metric = Metric("table = 'clocks'\ncolumn = 'cost'\nwhere = {clock = 'tsc'}");
  const auto values = ReadMetrics(metric, json);
  ASSERT_TRUE(values.has_value()) << values.error().message;
  EXPECT_DOUBLE_EQ(AsDouble(values->front().value), 2e-8);
  EXPECT_THAT(
      ReadMetrics(Metric("table = 'clocks'\ncolumn = 'cost'\nwhere = {clock = 'gone'}"), json)
          .error()
          .message,
      HasSubstr("no such clock"));
  EXPECT_THAT(ReadMetrics(Metric("table = 'clock'\ncolumn = 'cost'"), json).error().message,
              HasSubstr("no table 'clock'"));
}

}  // namespace
}  // namespace tare::study
