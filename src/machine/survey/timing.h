// timing.h: measuring the rate of a loop with an adjustable amount of work.
#pragma once

#include <cstdint>
#include <functional>

namespace tare::survey {

// Does at least `amount` of work; returns how much.
using Loop = std::function<std::uint64_t(std::uint64_t amount)>;

struct SliceConfig {
  double slice_seconds;  // length of one timing
  unsigned slices;       // per sample
};

// Seconds of CLOCK_MONOTONIC.
double Now();

// Work per second: the median over slices, which excludes slices that were disturbed. `guess` is
// the expected rate; if it is 0, the amount per slice is found by doubling.
double SampleRate(const Loop& loop, const SliceConfig& config, double guess);

}  // namespace tare::survey
