// clock_survey.h: everything that can be said about the clocks of this machine.
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
  double counter_seconds;  // what it counts in
  double rollover_seconds;
  LongEnough long_enough;
  std::vector<Caveat> caveats;  // those of `cost` among them
};

// The clocks in that order; about a fifth of a second each. Stops at the first that is not here.
Result<std::vector<ClockReport>> MeasureClocks(std::span<const ClockId> clocks,
                                               const CostConfig& cost, const OrderConfig& order,
                                               const Progress& progress);

}  // namespace tare::clock
