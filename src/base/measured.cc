// measured.cc: constructors of measured numbers, and arithmetic that keeps interval and verdict.
#include "base/measured.h"

#include <limits>
#include <utility>

#include "base/check.h"

namespace tare {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double AsDouble(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

double Measured::Value() const {
  CHECK(value.has_value());
  return AsDouble(*value);
}

double Measured::Low() const {
  if (low) return *low;
  return high ? -kInfinity : Value();
}

double Measured::High() const {
  if (high) return *high;
  return low ? kInfinity : Value();
}

double Measured::HalfWidth() const { return (High() - Low()) / 2; }

bool Measured::Contains(double number) const { return Low() <= number && number <= High(); }

Measured Exact(std::int64_t count) {
  Measured measured;
  measured.value = count;
  measured.exact = true;
  return measured;
}

Measured Known(double value) {
  Measured measured;
  measured.value = value;
  measured.exact = true;
  return measured;
}

Measured Unbounded(double value) {
  Measured measured;
  measured.value = value;
  return measured;
}

Measured Between(double value, double low, double high, double confidence) {
  Measured measured;
  measured.value = value;
  measured.low = low;
  measured.high = high;
  measured.confidence = confidence;
  return measured;
}

Measured Absent(std::string reason) {
  Measured measured;
  measured.verdict = Verdict::kRefused;
  measured.reason = std::move(reason);
  return measured;
}

Measured Doubtful(Measured measured, std::string reason) {
  measured.verdict = Worse(measured.verdict, Verdict::kDoubtful);
  if (measured.reason.empty()) {
    measured.reason = std::move(reason);
  } else {
    measured.reason += "; " + reason;
  }
  return measured;
}

Measured WithUnit(std::string unit, Measured measured) {
  measured.unit = std::move(unit);
  return measured;
}

Measured WithSource(std::string source, Measured measured) {
  measured.source = std::move(source);
  return measured;
}

Measured Scaled(Measured measured, double factor) {
  if (measured.value) measured.value = measured.Value() * factor;
  if (measured.low) *measured.low *= factor;
  if (measured.high) *measured.high *= factor;
  if (factor < 0) std::swap(measured.low, measured.high);
  return measured;
}

Measured Inverse(Measured measured) {
  if (measured.value) measured.value = 1 / measured.Value();
  if (measured.low) *measured.low = 1 / *measured.low;
  if (measured.high) *measured.high = 1 / *measured.high;
  std::swap(measured.low, measured.high);
  return measured;
}

}  // namespace tare
