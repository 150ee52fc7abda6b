// measured.h: a number with its interval, exactness, unit and verdict. Results have this one type
// from the measuring code to the renderer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/caveat.h"

namespace tare {

// Counts stay integers, so that a number marked as exact is printed exactly.
using Number = std::variant<std::int64_t, double>;

double AsDouble(const Number& number);

// A measured number and how far it can be trusted. Without a value, `reason` says why there is
// none; an absent number is never shown as 0.
struct Measured {
  std::optional<Number> value;
  std::optional<double> low;
  std::optional<double> high;
  bool exact = false;
  std::optional<double> confidence;  // confidence level of [low, high], such as 0.95
  std::string unit;                  // empty: the unit of the column
  Verdict verdict = Verdict::kValid;
  std::string reason;  // required unless the verdict is valid

  friend bool operator==(const Measured&, const Measured&) = default;
};

Measured Exact(std::int64_t count);
Measured Between(double value, double low, double high, double confidence);
Measured Absent(std::string reason);
Measured Doubtful(Measured measured, std::string reason);
// The same number with its own unit instead of its column's.
Measured WithUnit(std::string unit, Measured measured);

}  // namespace tare
