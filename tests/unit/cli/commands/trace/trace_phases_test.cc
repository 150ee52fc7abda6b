// trace_phases_test.cc: tests the sentence on phases of metrics that are not in every record.
#include "cli/commands/trace/trace_phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace tare::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kBuckets = 120;

// A metric with one mean up to each third of the time; 0: no record there.
format::ChannelSummary LevelOf(std::array<double, 3> means) {
  format::ChannelSummary summary;
  summary.figures = kBuckets;
  summary.smallest_figure = 1;
  summary.largest_figure = 5000;
  for (std::size_t b = 0; b < kBuckets; ++b) {
    format::BucketSummary bucket;
    bucket.mean = means[3 * b / kBuckets];
    bucket.figures = bucket.mean > 0 ? 1 : 0;
    // Noise, so that changes are found by their size.
    if (bucket.figures > 0) bucket.mean += b % 2 == 0 ? 0.01 : -0.01;
    summary.buckets.push_back(bucket);
  }
  return summary;
}

Trace TraceOf(std::array<double, 3> always, std::array<double, 3> sometimes) {
  Trace trace;
  trace.head.clock = "ns";
  trace.head.channels = {{"threads", "kernel", "", "/proc", format::ChannelKind::kLevel},
                         {"memory", "kernel", "", "/proc", format::ChannelKind::kLevel}};
  trace.summary.records = kBuckets;
  trace.summary.last_time = kBuckets * 1'000'000;
  trace.summary.bucket_width = 1'000'000;
  trace.summary.channels = {LevelOf(always), LevelOf(sometimes)};
  return trace;
}

constexpr std::array<std::size_t, 2> kBoth = {0, 1};

TEST(PhasesOf, APhaseWithoutRecordsOfAMetricIsNotItsExtreme) {
  const auto phases = PhasesOf(TraceOf({1, 3, 2}, {0, 1000, 4321}), kBoth);
  ASSERT_TRUE(phases);
  EXPECT_THAT(phases->answer, HasSubstr("3 phases"));
  EXPECT_THAT(phases->answer, Not(HasSubstr("- ")));
  EXPECT_THAT(phases->answer, Not(HasSubstr("nan")));
}

TEST(PhasesOf, NumbersHaveThousandsSeparators) {
  const auto phases = PhasesOf(TraceOf({1, 1, 1}, {1000, 1000, 4321}), kBoth);
  ASSERT_TRUE(phases);
  EXPECT_THAT(phases->answer, HasSubstr("memory: 4,321 in phase 2, 1,000 in phase 1."));
}

}  // namespace
}  // namespace tare::cli
