// places_test.cc: tests metrics of lines, loops and blocks. work(n) runs for n = 0 to 5, whose sum
// is 15.
#include <gtest/gtest.h>

#include "levels.h"

namespace tare::compiled {
namespace {

using format::InstrumentPlan;
using format::MetricEvent;

using CountedPlaces = AtEachLevel;
TARE_AT_EACH_LEVEL(CountedPlaces);

constexpr const char* kSource = "places.c";
constexpr const char* kPlacesOutput = "32\n";

Counts::mapped_type Of(const Counts& counts, const std::string& mark) {
  return counts.at(MarkedLine(kSource, mark));
}

TEST_P(CountedPlaces, LoopsCountIterations) {
  InstrumentPlan plan;
  for (const char* mark : {"counted loop", "with two tests", "until", "for ever", "endless",
                           "outer", "inner", "goto"}) {
    plan.metrics.push_back(Metric(MetricEvent::kLoop, MarkedLine(kSource, mark)));
  }
  const Counts counts = CountsOf({kSource}, plan, kPlacesOutput);
  EXPECT_EQ(Of(counts, "counted loop"), 15);
  EXPECT_EQ(Of(counts, "with two tests"), 15);
  EXPECT_EQ(Of(counts, "until"), 1 + 15);          // once for n = 0, too
  EXPECT_EQ(Of(counts, "for ever"), 6 * 21 - 16);  // from max(n, 1) to 21
  EXPECT_EQ(Of(counts, "endless"), 6 * 8);         // 21 down to 14
  EXPECT_EQ(Of(counts, "outer"), 15);
  EXPECT_EQ(Of(counts, "inner"), 0 + 0 + 1 + 3 + 6 + 9);  // sums of min(i, 3) for i < n
  EXPECT_EQ(Of(counts, "goto"), 6 * 18);                  // 13 to 30
}

TEST_P(CountedPlaces, LinesCountArrivals) {
  InstrumentPlan plan;
  for (const char* mark :
       {"counted loop", "its body", "of the odd", "few", "many", "goto", "at the end"}) {
    plan.metrics.push_back(Metric(MetricEvent::kLine, MarkedLine(kSource, mark)));
  }
  const Counts counts = CountsOf({kSource}, plan, kPlacesOutput);
  EXPECT_EQ(Of(counts, "counted loop"), 6 + 15);  // from above and from the body
  EXPECT_EQ(Of(counts, "its body"), 15);
  EXPECT_EQ(Of(counts, "of the odd"), 0 + 0 + 1 + 1 + 2 + 2);
  EXPECT_EQ(Of(counts, "few"), 2);
  EXPECT_EQ(Of(counts, "many"), 4);
  EXPECT_EQ(Of(counts, "goto"), 6);  // the goto jumps within the line
  EXPECT_EQ(Of(counts, "at the end"), 6);
}

TEST_P(CountedPlaces, BlocksCountExecutions) {
  InstrumentPlan plan;
  plan.metrics.push_back(Metric(MetricEvent::kBlock, "work:0"));
  plan.metrics.push_back(Metric(MetricEvent::kBlock, "work:1"));
  plan.metrics.push_back(Metric(MetricEvent::kBlock, "main:0"));
  const Counts counts = CountsOf({kSource}, plan, kPlacesOutput);
  EXPECT_EQ(counts.at("work:0"), 6);
  EXPECT_EQ(counts.at("work:1"), 6 + 15);  // the test of the first loop
  EXPECT_EQ(counts.at("main:0"), 1);
}

}  // namespace
}  // namespace tare::compiled
