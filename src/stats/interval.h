// interval.h: how far a measured value can be trusted.
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

// A value with the interval that holds the true one with the stated confidence.
struct Estimate {
  double value;
  Interval interval;
};

// Student's t interval of the mean. Needs 2 samples or more; `confidence` lies in (0, 1), as in all
// functions here.
Result<Estimate> MeanInterval(std::span<const double> samples, double confidence);

// Distribution-free interval of the median from order statistics. Fails when so few samples cannot
// reach `confidence`.
Result<Estimate> MedianInterval(std::span<const double> samples, double confidence);

// m successes of n. Needs 0 <= m <= n and n > 0.
enum class ProportionMethod { kWilson, kNormal };
Result<Estimate> ProportionInterval(std::uint64_t m, std::uint64_t n, double confidence,
                                    ProportionMethod method = ProportionMethod::kWilson);

// Ratio of the means of two independent samples (Fieller). Fails when the denominator's mean is not
// clearly away from 0.
Result<Estimate> RatioOfMeansInterval(std::span<const double> numerator,
                                      std::span<const double> denominator, double confidence);

}  // namespace tare::stats
