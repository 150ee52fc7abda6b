// tick_rate.h: how often the timer interrupted programs, from what it added to their counts.
#pragma once

#include <optional>
#include <span>

#include "analysis/explain/explanation.h"

namespace tare::explain {

struct TickRate {
  stats::Estimate rate;      // Hz
  std::optional<int> usual;  // the one usual rate of Linux that the interval holds
  bool by_second = true;     // the source that the ticks are in
};

// The coefficient of the seconds, where they are among the causes found. `baseline` is the rate of
// the first source's timer, whose ticks are in both: it is added.
std::optional<TickRate> TickRateOf(const Explanation& explanation, double baseline);

}  // namespace tare::explain
