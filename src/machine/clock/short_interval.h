// short_interval.h: durations below one tick, estimated from how often the clock advances.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "stats/interval.h"

namespace tare::clock {

struct ShortEstimate {
  Measured proportion;  // ticks advanced per measurement
  Measured duration;    // seconds
  std::vector<Caveat> caveats;
};

// The clock advanced by one tick in m of n measurements of the same event, each started at a random
// moment. Needs 0 <= m <= n, n > 0 and a positive tick.
Result<ShortEstimate> ShortInterval(
    std::uint64_t m, std::uint64_t n, double tick_seconds, double confidence,
    stats::ProportionMethod method = stats::ProportionMethod::kWilson);

// The same from the number of ticks in each measurement. An event of n ticks and a part of one
// advances the clock by n or n + 1: the estimate is n and the share of the latter. When all advance
// by the same n of 2 or more, the interval extends as far below n as above it. When measurements
// differ by more than one tick, the outcome is not binary: the estimate then is the mean with
// Student's interval, and a caveat says so. Needs 2 measurements or more.
Result<ShortEstimate> ShortIntervalFromAdvances(
    std::span<const std::uint32_t> advances, double tick_seconds, double confidence,
    stats::ProportionMethod method = stats::ProportionMethod::kWilson);

// a - b of independent estimates of the same confidence; one of them may be exact. The distances to
// the limits are added in quadrature for each side separately, so asymmetric intervals stay
// asymmetric (Zou and Donner, 2008).
Measured Difference(const Measured& a, const Measured& b);

}  // namespace tare::clock
