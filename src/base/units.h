// units.h: parses and formats quantities with units.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tare {

// Units are identified by their symbol: "s", "ns", "Hz", "B", "1/s", or the counted thing
// ("instructions", "reads"). The empty symbol is for pure numbers and text.

// Parses "40us", "1.5 ms", "2s", "3min" or "1h" and returns seconds; "us" and "µs" are the same.
// Fails on a number without a unit and on negative, non-finite or malformed input; the message
// names the accepted forms.
Result<double> ParseDuration(std::string_view text);

// As ParseDuration, with the unit as it was written ("us" for both spellings).
struct WrittenDuration {
  double seconds;
  std::string unit;
};
Result<WrittenDuration> ParseWrittenDuration(std::string_view text);

// Parses "64KiB", "1 MiB", "2GiB", "4096" or "4096B" and returns bytes; KB, MB and GB are powers of
// ten.
Result<std::uint64_t> ParseBytes(std::string_view text);

// The number of seconds in one `unit` ("us" gives 1e-6); 0 if it is not a unit of time.
double SecondsPer(std::string_view unit);

// A unit and the factor that converts a value from its original unit to this one.
struct ScaledUnit {
  std::string symbol;
  double factor;
};

// The most readable unit for `value`: 3.2e-6 s as 3.2 µs, 65536 B as 64 KiB, 2.1e9 Hz as 2.1 GHz,
// 1e9 s as 31.7 years. An unknown unit is returned unchanged, with factor 1.
ScaledUnit ReadableUnit(double value, std::string_view unit);

// How many `to` make one `from`: 1000 from "ms" to "µs", 1 between equal symbols. Returns nothing
// if they do not measure the same quantity.
std::optional<double> FactorBetween(std::string_view from, std::string_view to);

// Rounded to `digits` significant digits, for sentences: "0.0123", "4.5", "12,300". Never in
// exponent notation; without trailing zeros of a fraction. "-" if it is not finite.
std::string Rounded(double value, int digits);

// Formats `seconds` in the largest unit up to centuries in which the value is at least one, with
// three significant digits: "655 µs", "32.6 days", "58.5 centuries". A year has 365 days.
std::string LongDuration(double seconds);

}  // namespace tare
