// interval.h: confidence intervals of means, medians, proportions and ratios.
#pragma once

#include <cstdint>
#include <span>

#include "base/measured.h"
#include "base/result.h"

namespace tare::stats {

// Two ends alone, for what is on the way to a result. Results are Measured.
struct Interval {
  double low;
  double high;
};

// Student's t interval of the mean. Needs at least 2 samples. In all functions here `confidence` is
// in (0, 1), and the result states it.
Result<Measured> MeanInterval(std::span<const double> samples, double confidence);

// Distribution-free interval of the median from order statistics. Fails if there are too few
// samples for `confidence`.
Result<Measured> MedianInterval(std::span<const double> samples, double confidence);

// The interval for m successes in n trials. Needs m <= n and n > 0.
enum class ProportionMethod { kWilson, kNormal };
Result<Measured> ProportionInterval(std::uint64_t m, std::uint64_t n, double confidence,
                                    ProportionMethod method = ProportionMethod::kWilson);

// Ratio of the means of two independent samples (Fieller's interval). Fails if the denominator's
// mean is not significantly different from 0.
Result<Measured> RatioOfMeansInterval(std::span<const double> numerator,
                                      std::span<const double> denominator, double confidence);

}  // namespace tare::stats
