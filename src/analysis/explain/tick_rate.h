// tick_rate.h: the rate of the kernel's timer tick, from what it added to programs' counts.
#pragma once

#include <optional>
#include <span>

#include "analysis/explain/explanation.h"

namespace tare::explain {

struct TickRate {
  Measured rate;             // Hz
  std::optional<int> usual;  // the only common CONFIG_HZ value in the interval
  bool by_second = true;     // the second source contains the ticks, otherwise the first
};

// The coefficient of the seconds, if they are among the found causes. `baseline` is the tick rate
// in the first source's counts, in Hz; both sources contain those ticks, so it is added.
std::optional<TickRate> TickRateOf(const Explanation& explanation, double baseline);

}  // namespace tare::explain
