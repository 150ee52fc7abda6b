// rollover.h: elapsed time from counters that roll over.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"

namespace tare::clock {

// Time after which a counter of `bits` bits that advances every `period_seconds` shows the same
// value again.
double RolloverSeconds(double period_seconds, int bits);

// Known bounds of an elapsed time, in ticks of the counter: at least `min` and, where an upper
// bound is known, at most `max`.
struct ElapsedBounds {
  std::uint64_t min = 0;
  std::optional<std::uint64_t> max;
};

// The bounds from a coarser clock that measured `seconds` with an error of at most `error_seconds`.
// Rounded outwards. Needs finite, nonnegative numbers and a positive period.
Result<ElapsedBounds> BoundsFromCoarseClock(double seconds, double error_seconds,
                                            double period_seconds);

// Ticks between two readings of a counter of 1 to 64 bits. The readings alone do not determine the
// number of roll-overs, whether or not `end` is below `start`. Succeeds when exactly one number of
// roll-overs fits the bounds. Fails when several fit, when there is no upper bound, or when none
// fits (a reading or a bound is then wrong).
Result<std::uint64_t> ElapsedTicks(std::uint64_t start, std::uint64_t end, int bits,
                                   const ElapsedBounds& bounds);

}  // namespace tare::clock
