// noise.h: how small a difference in time could be seen, from the scatter of one program's own
// runs.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "stats/interval.h"

namespace tare::run {

struct Noise {
  stats::Estimate median;  // of the wall times
  // The program against itself: every second run against the others, ratio of the means. What lies
  // between these bounds is nothing.
  stats::Estimate against_itself;
  double floor = 0;  // the larger distance of those bounds from 1
  // Relative difference of two means that as many runs of each side would show with a chance of
  // `power` at this confidence.
  double smallest_difference = 0;
  double coefficient_of_variation = 0;
};

inline constexpr double kPower = 0.8;

// `seconds` in the order of time; needs 6 or more that are positive.
Result<Noise> NoiseOf(std::span<const double> seconds, double confidence);

}  // namespace tare::run
