// noise.h: the minimum detectable time difference, from the scatter of one program's runs.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "stats/interval.h"

namespace tare::run {

struct Noise {
  Measured median;  // of the wall times
  // Ratio of the mean of every second run to the mean of the others. A ratio inside this interval
  // is not a difference.
  Measured against_itself;
  double floor = 0;  // the larger distance of the interval's bounds from 1
  // Minimum detectable relative difference of two means, with as many runs on each side, at power
  // kPower and the given confidence.
  double smallest_difference = 0;
  double coefficient_of_variation = 0;
};

inline constexpr double kPower = 0.8;

// `seconds` in order of time; requires at least 6 positive values.
Result<Noise> NoiseOf(std::span<const double> seconds, double confidence);

}  // namespace tare::run
