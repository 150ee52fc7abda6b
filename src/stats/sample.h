// sample.h: what every method asks of its samples first, and their first two moments.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"

namespace tare::stats {

// Fails when there are fewer than `minimum` samples or one of them is infinite or not a number;
// `method` opens the message.
Result<void> RequireSamples(std::string_view method, std::span<const double> samples,
                            std::size_t minimum);

// Fails unless `confidence` lies in (0, 1).
Result<void> RequireConfidence(std::string_view method, double confidence);

// Fails when the value, or an end of its interval, is beyond the largest double.
struct Estimate;
Result<Estimate> RequireFinite(std::string_view method, const Estimate& estimate);

struct Moments {
  double count;
  double mean;
  double standard_deviation;  // of the sample, n - 1; 0 for one sample

  double StandardError() const;
};

// Of one finite sample or more. Exact to the last few bits however far the mean lies from 0, and
// free of overflow.
Moments MomentsOf(std::span<const double> samples);

// The median of one sample or more; reorders them.
double MedianOf(std::span<double> samples);

}  // namespace tare::stats
