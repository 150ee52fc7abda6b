// timing.h: the rate of a loop that can be told how much to do.
#pragma once

#include <cstdint>
#include <functional>

namespace tare::survey {

// Does that much work or a little more; returns how much.
using Loop = std::function<std::uint64_t(std::uint64_t amount)>;

struct SliceConfig {
  double slice_seconds;  // length of one timing
  unsigned slices;       // how many of them make a sample
};

// Seconds on CLOCK_MONOTONIC.
double Now();

// Work per second: the median over slices, so that a slice in which something else ran does not
// count. `guess` is the rate that is expected, 0 when nothing is known: the length of a slice is
// then found by doubling.
double SampleRate(const Loop& loop, const SliceConfig& config, double guess);

}  // namespace tare::survey
