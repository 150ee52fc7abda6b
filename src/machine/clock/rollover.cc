// rollover.cc: arithmetic modulo 2^bits.
#include "machine/clock/rollover.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace tare::clock {

double RolloverSeconds(double period_seconds, int bits) { return std::ldexp(period_seconds, bits); }

Result<ElapsedBounds> BoundsFromCoarseClock(double seconds, double error_seconds,
                                            double period_seconds) {
  const bool sane = std::isfinite(seconds) && seconds >= 0 && std::isfinite(error_seconds) &&
                    error_seconds >= 0 && std::isfinite(period_seconds) && period_seconds > 0;
  if (!sane) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} s with an error of {} s does not limit the number of ticks of {} s",
                            seconds, error_seconds, period_seconds));
  }
  constexpr double kBeyond = 0x1p64;
  const double min = std::floor((seconds - error_seconds) / period_seconds);
  const double max = std::ceil((seconds + error_seconds) / period_seconds);
  ElapsedBounds bounds;
  if (min >= kBeyond) {
    return Fail(ErrorKind::kUnsupported, "the elapsed time exceeds 2^64 ticks");
  }
  if (min > 0) bounds.min = static_cast<std::uint64_t>(min);
  bounds.max =
      max >= kBeyond ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(max);
  return bounds;
}

Result<std::uint64_t> ElapsedTicks(std::uint64_t start, std::uint64_t end, int bits,
                                   const ElapsedBounds& bounds) {
  if (bits < 1 || bits > 64) {
    return Fail(ErrorKind::kUsage, fmt::format("a counter has 1 to 64 bits, not {}", bits));
  }
  const std::uint64_t highest = ~std::uint64_t{0} >> (64 - bits);
  if (start > highest || end > highest) {
    return Fail(ErrorKind::kUsage,
                fmt::format("a {}-bit counter cannot have read {} and {}", bits, start, end));
  }
  if (!bounds.max) {
    return Fail(
        ErrorKind::kUnsupported,
        fmt::format("between {} and {}, a {}-bit counter can have rolled over any number of "
                    "times; give the longest time that can have elapsed",
                    start, end, bits));
  }
  const std::uint64_t shortest = (end - start) & highest;
  const std::uint64_t max = *bounds.max;
  const auto no_fit = [&] {
    return Fail(
        ErrorKind::kUnsupported,
        fmt::format("between {} and {}, a {}-bit counter cannot have advanced by {} to {} ticks; "
                    "check whether a clock was set or a bound is wrong",
                    start, end, bits, bounds.min, max));
  };
  if (shortest > max) return no_fit();
  // 2^64 more than `shortest` exceeds every bound; for smaller moduli both limits are computed.
  std::uint64_t min_rolls = 0;
  std::uint64_t max_rolls = 0;
  const std::uint64_t below_min = bounds.min > shortest ? bounds.min - shortest : 0;
  if (bits == 64) {
    if (below_min > 0) return no_fit();
  } else {
    min_rolls = below_min >> bits;
    if ((below_min & highest) != 0) ++min_rolls;
    max_rolls = (max - shortest) >> bits;
  }
  if (min_rolls > max_rolls) return no_fit();
  if (min_rolls < max_rolls) {
    return Fail(
        ErrorKind::kUnsupported,
        fmt::format("between {} and {}, a {}-bit counter can have rolled over {} to {} times "
                    "within {} ticks; read it more often",
                    start, end, bits, min_rolls, max_rolls, max));
  }
  return shortest + (bits == 64 ? 0 : min_rolls << bits);
}

}  // namespace tare::clock
