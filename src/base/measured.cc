// measured.cc: constructors of measured numbers.
#include "base/measured.h"

namespace tare {

double AsDouble(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

Measured Exact(std::int64_t count) {
  Measured measured;
  measured.value = count;
  measured.exact = true;
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

}  // namespace tare
