// units.h: quantities as people write and read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tare {

// Units are named by their symbol: "s", "ns", "Hz", "B", "1/s", or what is counted ("instructions",
// "reads"). The empty symbol is for pure numbers and text.

// "40us", "1.5 ms", "2s", "3min" and "1h" in seconds; "us" and "µs" are the same. A number without
// a unit is refused, and so is what is negative, not finite or not a duration; the message names
// the forms that are understood.
Result<double> ParseDuration(std::string_view text);

// As ParseDuration, and the unit as it was written ("us" for both spellings).
struct WrittenDuration {
  double seconds;
  std::string unit;
};
Result<WrittenDuration> ParseWrittenDuration(std::string_view text);

// "64KiB", "1 MiB", "2GiB", "4096" and "4096B" in bytes; KB, MB and GB are powers of ten.
Result<std::uint64_t> ParseBytes(std::string_view text);

// How many seconds one `unit` of time is ("us" gives 1e-6); 0 for what is not a unit of time.
double SecondsPer(std::string_view unit);

// A unit and the factor that turns a value in it into the value in the unit it was scaled from.
struct ScaledUnit {
  std::string symbol;
  double factor;
};

// The unit in which `value` reads best: 3.2e-6 s as 3.2 µs, 65536 B as 64 KiB, 2.1e9 Hz as 2.1 GHz,
// 1e9 s as 31.7 years. Units without a ladder come back as they are, with factor 1.
ScaledUnit ReadableUnit(double value, std::string_view unit);

// How many `to` one `from` is: 1000 from "ms" to "µs", 1 between equal symbols. Nothing when they
// do not measure the same.
std::optional<double> FactorBetween(std::string_view from, std::string_view to);

// `seconds` in the largest unit that leaves a value of at least one, centuries at most, to three
// significant digits: "655 µs", "32.6 days", "58.5 centuries". A year has 365 days.
std::string LongDuration(double seconds);

}  // namespace tare
