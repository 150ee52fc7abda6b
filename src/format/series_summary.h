// series_summary.h: statistics of each channel of a vertical trace, and its course over time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "format/series_reader.h"

namespace tare::format {

struct SeriesSummaryOptions {
  std::size_t max_buckets = 200;                                  // over time; at least 2
  std::vector<double> quantiles = {0.05, 0.25, 0.5, 0.75, 0.95};  // each in [0, 1]
};

// A "figure" is the rate in an interval for totals, and the value itself for levels. Rates are per
// second if the clock is "ns", per thousand instructions if it is "instructions", otherwise per
// unit of the clock.
struct BucketSummary {
  std::uint64_t figures = 0;  // 0: no data here, and the other members are meaningless
  double smallest = 0;
  double mean = 0;  // weighted by time for rates
  double largest = 0;
};

struct ChannelSummary {
  std::uint64_t values = 0;
  std::uint64_t missing = 0;  // records without a value, also before the channel was added
  // Of the values as recorded; absent if there are none.
  std::optional<std::int64_t> first, last, smallest, largest;
  // The total divided by the time between the first and the last value; absent for levels.
  std::optional<double> overall_rate;
  std::uint64_t figures = 0;  // intervals of nonzero length, or values of a level
  // Absent without figures; the deviation needs two. All figures have the same weight.
  std::optional<double> mean, deviation, smallest_figure, largest_figure;
  // The durations, in the clock's unit, of the intervals with the minimum and the maximum rate; 0
  // for levels.
  double smallest_width = 0;
  double largest_width = 0;
  // One per requested quantile; empty if there are no figures. Each is the smallest x such
  // that at least that share of the figures are at most x.
  std::vector<double> quantiles;
  // Relative error of the quantiles: 0 while all figures fit into memory, otherwise a few percent.
  double quantile_error = 0;
  std::vector<BucketSummary> buckets;
};

struct SeriesSummary {
  std::uint64_t records = 0;
  std::uint64_t first_time = 0;
  std::uint64_t last_time = 0;
  // Time between consecutive records.
  std::optional<double> mean_interval, interval_deviation;
  std::optional<std::uint64_t> smallest_interval, largest_interval;
  double rate_unit = 1;            // rates are per this many units of the clock: 1e9 if it is "ns"
  std::uint64_t bucket_width = 0;  // bucket n starts at first_time + n * bucket_width
  std::vector<ChannelSummary> channels;  // in the order of the head
  SeriesOutcome outcome;
};

// Reads the rest of the series once. Memory depends only on the number of channels. With very many
// channels there are fewer buckets, and the quantiles are less accurate. There are between half of
// `max_buckets` and `max_buckets` buckets if the trace is longer than a few units of its clock.
SeriesSummary SummariseSeries(SeriesReader& reader, const SeriesSummaryOptions& options);

}  // namespace tare::format
