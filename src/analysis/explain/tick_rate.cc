// tick_rate.cc: finds the timer's rate among the causes.
#include "analysis/explain/tick_rate.h"

#include <algorithm>
#include <array>

namespace tare::explain {

std::optional<TickRate> TickRateOf(const Explanation& explanation, double baseline) {
  // The values that CONFIG_HZ of Linux offers.
  constexpr std::array kUsual = {100, 250, 300, 1000};
  for (const Term& term : explanation.terms) {
    if (term.cause.kind != CauseKind::kEvent || term.cause.name != kSeconds) continue;
    // If the first source has more ticks, the second source's rate is lower.
    const double sign = term.by_second ? 1 : -1;
    TickRate rate;
    rate.by_second = term.by_second;
    rate.rate = term.extra;
    if (baseline != 0) {
      const double a = baseline + sign * term.extra.Low();
      const double b = baseline + sign * term.extra.High();
      rate.rate.value = baseline + sign * term.extra.Value();
      rate.rate.low = std::min(a, b);
      rate.rate.high = std::max(a, b);
    }
    int inside = 0;
    for (const int usual : kUsual) {
      if (!rate.rate.Contains(usual)) continue;
      ++inside;
      rate.usual = usual;
    }
    if (inside != 1) rate.usual.reset();
    return rate;
  }
  return std::nullopt;
}

}  // namespace tare::explain
