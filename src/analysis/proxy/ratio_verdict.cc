// ratio_verdict.cc: compares an interval with a tolerance.
#include "analysis/proxy/ratio_verdict.h"

namespace tare::proxy {
namespace {

// In floating point, 1 - 0.1 does not equal 0.9 for every tolerance.
constexpr double kRounding = 1e-12;

}  // namespace

Verdict Judge(const Measured& ratio, double tolerance) {
  const double least = 1 - tolerance - kRounding;
  const double most = 1 + tolerance + kRounding;
  if (ratio.Low() >= least && ratio.High() <= most) return Verdict::kValid;
  if (ratio.High() < least || ratio.Low() > most) return Verdict::kRefused;
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
