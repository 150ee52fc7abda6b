// clock_order.h: whether a clock that is read on one core and then on another ever goes backwards.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "machine/clock/clock.h"

namespace tare::clock {

struct OrderConfig {
  std::uint64_t hand_overs = 20'000;
  double max_seconds = 0.1;
};

struct Order {
  unsigned from;  // the two processors
  unsigned to;
  std::uint64_t hand_overs;  // completed before the time limit
  std::uint64_t backward;    // readings below the one handed over
  std::uint64_t worst_ticks;
};

// Two threads on different processors read the clock in turn. Each passes its reading to the other,
// whose next reading must not be lower. Fails with kUnsupported for clocks of a thread's CPU time
// and where this process may use only one processor.
Result<Order> MeasureOrder(const Clock& clock, const OrderConfig& config);

}  // namespace tare::clock
