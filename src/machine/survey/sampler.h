// sampler.h: repeated timings of one quantity, until its interval is narrow enough.
#pragma once

#include <cstddef>
#include <vector>

#include "machine/profile/origin.h"

namespace tare::survey {

// Rates (or times) of one point, one per round.
struct Samples {
  std::vector<double> values;

  friend bool operator==(const Samples&, const Samples&) = default;
};

// A distribution-free 95 % interval of the median needs at least this many samples.
inline constexpr std::size_t kMinSamples = 6;

// A point is repeated until its interval's half-width is below this share of its median.
inline constexpr double kWideInterval = 0.05;

// Whether the interval of the median is narrow enough.
bool Settled(const Samples& samples);

// The median, with an interval that covers the spread of the rounds and the drift over them.
// Doubtful, with the reason, when the interval is too wide or not available.
Measured FigureOf(const Samples& samples);

}  // namespace tare::survey
