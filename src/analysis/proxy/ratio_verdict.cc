// ratio_verdict.cc: compares an interval with a tolerance.
#include "analysis/proxy/ratio_verdict.h"

namespace tare::proxy {
namespace {

// In floating point, 1 - 0.1 does not equal 0.9 for every tolerance.
constexpr double kRounding = 1e-12;

}  // namespace

RatioVerdict VerdictOf(const Ratio& ratio, double tolerance) {
  const double min = 1 - tolerance - kRounding;
  const double max = 1 + tolerance + kRounding;
  if (ratio.low >= min && ratio.high <= max) return RatioVerdict::kValid;
  if (ratio.high < min || ratio.low > max) return RatioVerdict::kRefused;
  return RatioVerdict::kDoubtful;
}

}  // namespace tare::proxy
