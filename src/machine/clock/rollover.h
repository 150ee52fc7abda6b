// rollover.h: counters that start again at zero.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"

namespace tare::clock {

// Time after which a counter of `bits` bits that advances every `period_seconds` shows the same
// value again.
double RolloverSeconds(double period_seconds, int bits);

// What is known about an elapsed time from elsewhere, in ticks of the counter: it is at least
// `least` and, where that is known at all, at most `most`.
struct ElapsedBounds {
  std::uint64_t least = 0;
  std::optional<std::uint64_t> most;
};

// The bounds that a slower clock gives: it saw `seconds`, wrong by at most `error_seconds`.
// Rounded outwards. Needs finite numbers that are not negative and a positive period.
Result<ElapsedBounds> BoundsFromCoarseClock(double seconds, double error_seconds,
                                            double period_seconds);

// Ticks between two readings of a counter of 1 to 64 bits. The readings alone leave the number of
// roll-overs open, whether or not `end` is below `start`; so the answer is given when exactly one
// number of roll-overs fits the bounds, and refused when several fit, when no upper bound is known,
// or when none fits (then a reading or a bound is wrong).
Result<std::uint64_t> ElapsedTicks(std::uint64_t start, std::uint64_t end, int bits,
                                   const ElapsedBounds& bounds);

}  // namespace tare::clock
