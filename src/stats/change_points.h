// change_points.h: where the means of several time series change.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tare::stats {

// A change before the sample `at`; with the given confidence it is before one of the samples `low`
// to `high`.
struct ChangePoint {
  std::size_t at = 0;
  std::size_t low = 0;
  std::size_t high = 0;
};

struct ChangeOptions {
  std::size_t min_length = 4;   // samples between two changes
  std::size_t max_changes = 9;  // with more, the penalty is raised: the largest changes remain
  double confidence = 0.95;
  // Each sample is replaced by the median of so many around it, which removes bursts of less than
  // half of that and leaves steps where they are. Odd; 1: none.
  std::size_t filter = 1;
};

// Splits the samples into segments with constant means, the same segments for all series. Samples
// of a series are independent normal numbers with the series' own deviation, which is estimated
// from differences of neighbours, so that it does not contain the changes. Among all partitions,
// the one with the least squared error plus a penalty of 2 (series + 1) log(samples) per change is
// found by dynamic programming: exact, O(samples^2 * series). The interval of a change weighs each
// position between its neighbours by its likelihood.
//
// All series have the same number of samples; NaN is a missing one. Series without variation take
// no part. Empty for fewer than 2 * min_length samples.
std::vector<ChangePoint> FindChangePoints(std::span<const std::vector<double>> series,
                                          const ChangeOptions& options = {});

}  // namespace tare::stats
