// ratio_verdict.cc: compares an interval with a tolerance.
#include "analysis/proxy/ratio_verdict.h"

namespace tare::proxy {
namespace {

// In floating point, 1 - 0.1 does not equal 0.9 for every tolerance.
constexpr double kRounding = 1e-12;

}  // namespace

Standing Judge(const Ratio& ratio, double tolerance) {
  const double least = 1 - tolerance - kRounding;
  const double most = 1 + tolerance + kRounding;
  if (ratio.low >= least && ratio.high <= most) return Standing::kValid;
  if (ratio.high < least || ratio.low > most) return Standing::kRefused;
  return Standing::kDoubtful;
}

}  // namespace tare::proxy
