// measured.h: a number with its unit, its interval or exactness, its source and its verdict.
// Results have this one type from the measuring code to the renderer.
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
  std::optional<Number> value = {};
  // The interval. If only one end has a value, the other side is not bounded.
  std::optional<double> low = {};
  std::optional<double> high = {};
  bool exact = false;
  std::optional<double> confidence = {};  // confidence level of [low, high], such as 0.95
  std::string unit = {};                  // empty: the unit of the column
  std::string source = {};                // empty: the source that the row or the table states
  Verdict verdict = Verdict::kValid;
  std::string reason = {};  // required unless the verdict is valid

  // Both ends are known.
  bool HasInterval() const { return low.has_value() && high.has_value(); }

  // For computing; all need a value. A number with neither end counts as an interval of zero width,
  // and a side without bound is infinite.
  double Value() const;
  double Low() const;
  double High() const;
  double HalfWidth() const;
  bool Contains(double number) const;  // in the interval, ends included

  friend bool operator==(const Measured&, const Measured&) = default;
};

Measured Exact(std::int64_t count);
// A number that is known, not measured.
Measured Known(double value);
// A measured number without interval, such as the result of a single run.
Measured Unbounded(double value);
Measured Between(double value, double low, double high, double confidence);
Measured Absent(std::string reason);
Measured Doubtful(Measured measured, std::string reason);
// The same number with its own unit instead of its column's.
Measured WithUnit(std::string unit, Measured measured);
// The same number with its own source instead of its table's.
Measured WithSource(std::string source, Measured measured);
// Multiplies value and interval by `factor`. An absent number stays absent.
Measured Scaled(Measured measured, double factor);
// The reciprocal, for example the seconds of a rate. Value and interval must be positive.
Measured Inverse(Measured measured);

}  // namespace tare
