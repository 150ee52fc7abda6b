// short_interval.cc: a proportion scaled by the tick.
#include "machine/clock/short_interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "stats/distribution.h"

namespace tare::clock {
namespace {

Result<void> CheckTick(double tick_seconds) {
  if (std::isfinite(tick_seconds) && tick_seconds > 0) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("a tick must be a positive number of seconds, not {}", tick_seconds));
}

ShortEstimate InSeconds(const Measured& proportion, double tick_seconds) {
  return {proportion, Scaled(proportion, tick_seconds), {}};
}

}  // namespace

Result<ShortEstimate> ShortInterval(std::uint64_t m, std::uint64_t n, double tick_seconds,
                                    double confidence, stats::ProportionMethod method) {
  TRY_VOID(CheckTick(tick_seconds));
  TRY(const auto proportion, stats::ProportionInterval(m, n, confidence, method));
  ShortEstimate estimate = InSeconds(proportion, tick_seconds);
  if (method == stats::ProportionMethod::kNormal) {
    // The center of Wilson's interval is about z^2/2n closer to one half. Where that exceeds a
    // tenth of the rarer outcome's share, the symmetric formula is badly centered.
    const double z = stats::NormalCritical(confidence);
    const bool poor = static_cast<double>(std::min(m, n - m)) < 5 * z * z;
    if (poor) estimate.caveats.push_back({CaveatId::kSmallCounts, fmt::format("{} of {}", m, n)});
  }
  return estimate;
}

Result<ShortEstimate> ShortIntervalFromAdvances(std::span<const std::uint32_t> advances,
                                                double tick_seconds, double confidence,
                                                stats::ProportionMethod method) {
  TRY_VOID(CheckTick(tick_seconds));
  const std::uint32_t most = advances.empty() ? 0 : std::ranges::max(advances);
  // If the clock always advanced by one tick, n could be 0 or 1: 0 gives the wider interval.
  const std::uint32_t base = most <= 1 ? 0 : std::ranges::min(advances);
  const auto several =
      std::ranges::count_if(advances, [&](auto ticks) { return ticks > base + 1; });
  if (several == 0) {
    const auto m = std::ranges::count(advances, base + 1);
    TRY(auto estimate, ShortInterval(static_cast<std::uint64_t>(m), advances.size(), tick_seconds,
                                     confidence, method));
    if (base == 0) return estimate;
    const double n = base;
    Measured& share = estimate.proportion;
    // If all advanced by n, the event can also be a little shorter than n ticks.
    const double low = m == 0 ? n - share.High() : n + share.Low();
    share = Between(n + share.Value(), low, n + share.High(), confidence);
    estimate.duration = Scaled(share, tick_seconds);
    return estimate;
  }
  const std::vector<double> ticks(advances.begin(), advances.end());
  TRY(const auto mean, stats::MeanInterval(ticks, confidence));
  ShortEstimate estimate = InSeconds(mean, tick_seconds);
  estimate.caveats.push_back(
      {CaveatId::kOutliers,
       fmt::format("{} of {} measurements took more than {}, up to {}", several, advances.size(),
                   base == 0 ? "one tick" : fmt::format("{} ticks", base + 1), most)});
  return estimate;
}

Measured Difference(const Measured& a, const Measured& b) {
  const auto& confidence = a.exact ? b.confidence : a.confidence;
  CHECK(confidence && (a.exact || b.exact || a.confidence == b.confidence));
  const double value = a.Value() - b.Value();
  return Between(value, value - std::hypot(a.Value() - a.Low(), b.High() - b.Value()),
                 value + std::hypot(a.High() - a.Value(), b.Value() - b.Low()), *confidence);
}

}  // namespace tare::clock
