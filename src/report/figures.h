// figures.h: numbers with as many digits as is known of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/document.h"

namespace tare::report {

// A value, and its interval as "[3.04, 3.46]" ("[≥ 3.04]" with one bound), empty without one.
struct Figure {
  std::string value;
  std::string interval;
};

// The value if it can be shown, which is when it is there and finite; otherwise null.
const Number* ShownValue(const Measured& measured);

// Value and bounds times `factor`, rounded to two digits of the interval's half-width, with no
// fraction beyond five digits. Without an interval: whole numbers in full, others to four digits.
// Exact whole numbers in full, other exact ones to six digits. "-" for what cannot
// be shown.
Figure ShowMeasured(const Measured& measured, double factor);

// Without separators, to six digits if not whole.
std::string ShowBare(const Number& number, double factor);

// To `digits` significant ones, without zeros at the end of a fraction: for axes.
std::string ShowRounded(double value, int digits);

// `number` times `factor`, when that is whole and fits.
std::optional<std::int64_t> ScaleWhole(std::int64_t number, double factor);

}  // namespace tare::report
