// sampler.h: repeated timings of one thing, until enough is known of it.
#pragma once

#include <cstddef>
#include <vector>

#include "machine/profile/figure.h"

namespace tare::survey {

// Rates (or times) of one point, one for each round.
struct Samples {
  std::vector<double> values;

  friend bool operator==(const Samples&, const Samples&) = default;
};

// Fewer cannot carry a distribution-free interval of the median at 95 %.
inline constexpr std::size_t kMinSamples = 6;

// A point is repeated until its interval's half-width is within this part of its median.
inline constexpr double kWideInterval = 0.05;

// Whether the interval of the median is narrow enough.
bool Settled(const Samples& samples);

// Median, and an interval that covers what the rounds say of it and how it drifted over them.
// Doubtful, with the reason, when the interval is too wide or cannot be had.
machine_profile::Figure FigureOf(const Samples& samples);

}  // namespace tare::survey
