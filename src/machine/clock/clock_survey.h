// clock_survey.h: everything that is measured about the clocks of this machine.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/progress.h"
#include "base/result.h"
#include "machine/clock/clock_cost.h"
#include "machine/clock/clock_order.h"

namespace tare::clock {

struct ClockReport {
  const Clock* clock;
  std::optional<Access> access;
  std::optional<double> nominal_resolution;
  ClockCost cost;
  std::optional<Order> across_cores;
  std::string no_order;    // why across_cores is absent
  int bits;                // of the counter that rolls over
  double counter_seconds;  // its unit
  double rollover_seconds;
  LongEnough long_enough;
  std::vector<Caveat> caveats;  // including those of `cost`
};

// Reports in the order of `clocks`; about a fifth of a second each. Fails at the first clock that
// is unavailable.
Result<std::vector<ClockReport>> MeasureClocks(std::span<const ClockId> clocks,
                                               const CostConfig& cost, const OrderConfig& order,
                                               const Progress& progress);

}  // namespace tare::clock
