// figures.h: formats numbers with as many digits as their intervals justify.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/document.h"

namespace tare::report {

// A value and its interval, such as "[3.04, 3.46]", "[≥ 3.04]" with one bound, or "[±0.0002]" if
// the bounds differ in digits that are not shown. The interval is empty if there is none.
struct Figure {
  std::string value;
  std::string interval;
};

// The value if it is present and finite, otherwise null.
const Number* ShownValue(const Measured& measured);

// Value and bounds times `factor`, rounded to two digits of the interval's half-width and at most
// four digits. Without an interval, integers are shown in full and other numbers with four digits.
// Never in exponent notation. Returns "-" if there is no value to show.
Figure ShowMeasured(const Measured& measured, double factor);

// Integers are shown in full, without thousands separators; other numbers with four significant
// digits.
std::string ShowBare(const Number& number, double factor);

// Rounded to `digits` significant digits, without trailing zeros of a fraction; for axes.
std::string ShowRounded(double value, int digits);

// A duration in a readable unit, for sentences: "1.2 µs".
std::string ShowSeconds(double seconds, int digits = 3);

// `number` times `factor` if that is an integer that fits.
std::optional<std::int64_t> ScaleWhole(std::int64_t number, double factor);

}  // namespace tare::report
