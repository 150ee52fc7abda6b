// survey_plan.h: the curves to measure, and their working-set sizes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/profile/curve.h"

namespace tare::survey {

// Loads, stores and updates; strides of 1 to 64 elements, random, chained; elements of 8 bytes and
// of the widest vector. Quick: strides 1 and 8 and random with the widest vector, random and
// chained with 8 bytes.
std::vector<machine_profile::CurveKey> CurvesToMeasure(unsigned widest_vector, bool quick);

struct SizeRange {
  std::uint64_t min;
  std::uint64_t max;
};

// The nearest size on the grid of working sets: whole kibibytes, at most eight sizes per octave.
std::uint64_t NearestSize(double bytes);

// Sizes from min to max inclusive, `per_octave` (1, 2, 4 or 8) per doubling.
std::vector<std::uint64_t> CoarseSizes(const SizeRange& range, unsigned per_octave);

struct SizeRate {
  std::uint64_t bytes;
  double rate;
};

// Sizes to add between neighbours whose rates differ by more than the relative `step`: the middle
// of each pair on the grid, unless it equals one of them. Sizes must ascend.
std::vector<std::uint64_t> SizesAroundSteps(std::span<const SizeRate> points, double step);

}  // namespace tare::survey
