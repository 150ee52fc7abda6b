// measured.h: a number with all that is known of its truth; the one type from the measuring code to
// the renderer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/caveat.h"

namespace tare {

// Counts stay whole numbers, so that "exact" is true of what is printed.
using Number = std::variant<std::int64_t, double>;

double AsDouble(const Number& number);

// A measured number with what is known of its truth. Without a value it says why there is none:
// absence is shown as absence, never as 0.
struct Measured {
  std::optional<Number> value;
  std::optional<double> low;
  std::optional<double> high;
  bool exact = false;
  std::optional<double> confidence;  // of [low, high], such as 0.95
  std::string unit;                  // empty: the column's
  Verdict verdict = Verdict::kValid;
  std::string reason;  // needed unless the verdict is valid

  friend bool operator==(const Measured&, const Measured&) = default;
};

Measured Exact(std::int64_t count);
Measured Between(double value, double low, double high, double confidence);
Measured Absent(std::string reason);
Measured Doubtful(Measured measured, std::string reason);
// The same number in another unit than its column's.
Measured WithUnit(std::string unit, Measured measured);

}  // namespace tare
