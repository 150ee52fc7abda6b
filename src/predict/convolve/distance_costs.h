// distance_costs.h: what a line costs by its reuse distance, from the curves of a measured machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "machine/profile/machine_profile.h"
#include "predict/convolve/level_costs.h"

namespace tare::convolve {

// The ends of the steps of distance, in bytes, ascending: half an octave each, from the first cache
// to half the largest working set of the curves. Lines that are farther apart are one more step.
// Empty when the profile lacks one of the curves that are needed.
std::vector<std::uint64_t> DistanceSteps(const machine_profile::Profile& profile);

// Seconds of a point of a curve: 1 / its rate, or an end of its interval.
using PointSeconds = std::function<double(const machine_profile::CurvePoint&)>;

// Costs of lines of every step and of the one beyond: steps.size() + 1 rows. Loops over a working
// set in a fixed order have one distance, the size of the set, so that their curves are the costs.
// Random accesses have all distances up to it equally often: their curve is a mean of costs.
// Costs do not fall with distance; where the curves do, neighbouring steps share their mean.
std::vector<LevelCosts> CostsByDistance(const machine_profile::Profile& profile,
                                        std::span<const std::uint64_t> steps, double line_bytes,
                                        const PointSeconds& seconds);

// The nearest values that do not fall, in squares (isotonic regression by pooling neighbours).
std::vector<double> NonDecreasing(std::span<const double> values);

}  // namespace tare::convolve
