// interval.h: confidence intervals of means, medians, proportions and ratios.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"

namespace tare::stats {

struct Interval {
  double low;
  double high;

  bool Contains(double value) const { return low <= value && value <= high; }
  double HalfWidth() const { return (high - low) / 2; }
};

// A value and its confidence interval.
struct Estimate {
  double value;
  Interval interval;
};

// Student's t interval of the mean. Needs at least 2 samples. In all functions here `confidence` is
// in (0, 1).
Result<Estimate> MeanInterval(std::span<const double> samples, double confidence);

// Distribution-free interval of the median from order statistics. Fails if there are too few
// samples for `confidence`.
Result<Estimate> MedianInterval(std::span<const double> samples, double confidence);

// The interval for m successes in n trials. Needs m <= n and n > 0.
enum class ProportionMethod { kWilson, kNormal };
Result<Estimate> ProportionInterval(std::uint64_t m, std::uint64_t n, double confidence,
                                    ProportionMethod method = ProportionMethod::kWilson);

// Ratio of the means of two independent samples (Fieller's interval). Fails if the denominator's
// mean is not significantly different from 0.
Result<Estimate> RatioOfMeansInterval(std::span<const double> numerator,
                                      std::span<const double> denominator, double confidence);

}  // namespace tare::stats
