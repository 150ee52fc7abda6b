// deviation.cc: chi-square intervals of a standard deviation.
#include "stats/deviation.h"

#include <fmt/format.h>

#include <cmath>

#include "stats/distribution.h"
#include "stats/sample.h"

namespace tare::stats {
Result<Measured> DeviationInterval(double deviation, double degrees, double confidence) {
  constexpr std::string_view kMethod = "interval of the standard deviation";
  TRY_VOID(RequireConfidence(kMethod, confidence));
  if (!(deviation >= 0) || !std::isfinite(deviation) || !(degrees > 0) || !std::isfinite(degrees)) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format(
            "{}: needs a deviation of at least 0 and degrees of freedom above 0, got {} and {}",
            kMethod, deviation, degrees));
  }
  const double tail = (1 - confidence) / 2;
  const double above = ChiSquareAbove(tail, degrees);
  const double below = ChiSquareBelow(tail, degrees);
  if (deviation == 0) return Between(0, 0, 0, confidence);
  return RequireFinite(kMethod, Between(deviation, deviation * std::sqrt(degrees / above),
                                        deviation * std::sqrt(degrees / below), confidence));
}

Result<Measured> DeviationInterval(std::span<const double> samples, double confidence) {
  TRY_VOID(RequireSamples("interval of the standard deviation", samples, 2));
  const Moments moments = MomentsOf(samples);
  return DeviationInterval(moments.standard_deviation, moments.count - 1, confidence);
}

}  // namespace tare::stats
