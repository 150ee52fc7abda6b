// series_summary.h: statistics of each channel of a vertical trace, and its course in a few points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "format/series_reader.h"

namespace tare::format {

struct SeriesSummaryOptions {
  std::size_t max_buckets = 200;                                  // along time; 2 or more
  std::vector<double> quantiles = {0.05, 0.25, 0.5, 0.75, 0.95};  // each in [0, 1]
};

// "Figure" is the rate in an interval for totals, the value itself for levels. Rates are per second
// where the clock is "ns", for a thousand where it counts instructions, otherwise per step.
struct BucketSummary {
  std::uint64_t figures = 0;  // 0: nothing was seen here, and the rest means nothing
  double smallest = 0;
  double mean = 0;  // of rates: weighted by time
  double largest = 0;
};

struct ChannelSummary {
  std::uint64_t values = 0;
  std::uint64_t missing = 0;  // records without a value, those before the channel was added too
  // Of the values as recorded; none without values.
  std::optional<std::int64_t> first, last, smallest, largest;
  // Total over total time between the first and the last value; none for levels.
  std::optional<double> overall_rate;
  std::uint64_t figures = 0;  // intervals with a length, or values of a level
  // None below one figure, and below two for the deviation. All figures weigh the same.
  std::optional<double> mean, deviation, smallest_figure, largest_figure;
  // How much time, in the clock's unit, the smallest and the largest rate stand for; 0 for levels.
  double smallest_width = 0;
  double largest_width = 0;
  // One for each asked for; empty without figures. The smallest figure that at least this share of
  // them does not exceed.
  std::vector<double> quantiles;
  // Relative error of the quantiles: 0 while few figures allow to keep all, else some per cent.
  double quantile_error = 0;
  std::vector<BucketSummary> buckets;
};

struct SeriesSummary {
  std::uint64_t records = 0;
  std::uint64_t first_time = 0;
  std::uint64_t last_time = 0;
  // Distances between records.
  std::optional<double> mean_interval, interval_deviation;
  std::optional<std::uint64_t> smallest_interval, largest_interval;
  double rate_unit = 1;            // steps of the clock that rates are for: 1e9 where it is "ns"
  std::uint64_t bucket_width = 0;  // the n-th begins at first_time + n * bucket_width
  std::vector<ChannelSummary> channels;  // in the order of the head
  SeriesOutcome outcome;
};

// Reads the rest of the series, once. Memory depends on the number of channels only (with very many
// of them there are fewer buckets, and quantiles are less exact). There are between half of
// `max_buckets` and all of them once the trace is longer than a few steps of its clock.
SeriesSummary SummariseSeries(SeriesReader& reader, const SeriesSummaryOptions& options);

}  // namespace tare::format
