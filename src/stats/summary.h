// summary.h: summary statistics of a set of samples.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"

namespace tare::stats {

struct Summary {
  std::size_t count;
  double mean;
  double median;
  double standard_deviation;        // of the sample, with n - 1; 0 for one sample
  double coefficient_of_variation;  // standard deviation / |mean|; NaN for mean 0
  double mad;                       // median absolute deviation from the median, not scaled
  double minimum;
  double maximum;
};

// Needs at least one sample, all finite.
Result<Summary> Summarize(std::span<const double> samples);

// The quantile by linear interpolation between order statistics (type 7 of Hyndman and Fan); q in
// [0, 1].
Result<double> Quantile(std::span<const double> samples, double q);

// Several quantiles of the same samples, in the order of `qs`.
Result<std::vector<double>> Quantiles(std::span<const double> samples, std::span<const double> qs);

}  // namespace tare::stats
