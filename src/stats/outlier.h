// outlier.h: finds samples that are too far from the rest.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"

namespace tare::stats {

inline constexpr double kOutlierScore = 3.5;

struct Outliers {
  std::vector<double> scores;        // modified z-score of each sample, signed
  std::vector<std::size_t> indices;  // samples with |score| above the limit, ascending
  bool by_mean_deviation;            // more than half are equal: scores use the mean deviation
};

// Iglewicz and Hoaglin (1993): 0.6745 (x - median) / MAD. If the MAD is 0, the mean absolute
// deviation from the median replaces it. Needs at least 1 sample and `limit` > 0. Removes nothing:
// the caller decides what to do and must report it.
Result<Outliers> FindOutliers(std::span<const double> samples, double limit = kOutlierScore);

}  // namespace tare::stats
