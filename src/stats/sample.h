// sample.h: checks that all methods apply to their samples, and the first two moments.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/measured.h"
#include "base/result.h"

namespace tare::stats {

// Fails if there are fewer than `minimum` samples or if one of them is infinite or NaN. The message
// starts with `method`.
Result<void> RequireSamples(std::string_view method, std::span<const double> samples,
                            std::size_t minimum);

// Fails unless `confidence` is in (0, 1).
Result<void> RequireConfidence(std::string_view method, double confidence);

// Fails if the value or an end of its interval is not finite.
Result<Measured> RequireFinite(std::string_view method, const Measured& estimate);

struct Moments {
  double count;
  double mean;
  double standard_deviation;  // of the sample, with n - 1; 0 for one sample

  double StandardError() const;
};

// Needs at least one sample, all finite. Accurate to the last few bits for any mean, and free of
// overflow.
Moments MomentsOf(std::span<const double> samples);

// The median of at least one sample; reorders `samples`.
double MedianOf(std::span<double> samples);

}  // namespace tare::stats
