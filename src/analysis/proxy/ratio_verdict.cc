// ratio_verdict.cc: compares an interval with a tolerance.
#include "analysis/proxy/ratio_verdict.h"

namespace tare::proxy {
namespace {

// In floating point, 1 - 0.1 does not equal 0.9 for every tolerance.
constexpr double kRounding = 1e-12;

}  // namespace

Verdict VerdictOf(const Measured& ratio, double tolerance) {
  const double min = 1 - tolerance - kRounding;
  const double max = 1 + tolerance + kRounding;
  if (ratio.Low() >= min && ratio.High() <= max) return Verdict::kValid;
  if (ratio.High() < min || ratio.Low() > max) return Verdict::kRefused;
  return Verdict::kDoubtful;
}

Measured RatioWithin(double value, double low, double high) {
  Measured ratio = Unbounded(value);
  if (low == high) return ratio;
  ratio.low = low;
  ratio.high = high;
  return ratio;
}

}  // namespace tare::proxy
