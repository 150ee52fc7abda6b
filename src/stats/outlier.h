// outlier.h: samples that lie too far from the rest.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"

namespace tare::stats {

inline constexpr double kOutlierScore = 3.5;

struct Outliers {
  std::vector<double> scores;        // modified z, one per sample, signed
  std::vector<std::size_t> indices;  // of the samples with |score| above the limit, ascending
  bool by_mean_deviation;            // more than half are equal: scores use the mean deviation
};

// Iglewicz and Hoaglin (1993): 0.6745 (x - median) / MAD. Where the MAD is 0 the mean absolute
// deviation from the median takes its place. Needs 1 sample or more; `limit` is above 0. Nothing
// is removed: that is the caller's decision, to be stated.
Result<Outliers> FindOutliers(std::span<const double> samples, double limit = kOutlierScore);

}  // namespace tare::stats
