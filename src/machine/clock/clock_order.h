// clock_order.h: whether a clock read on one core and then on another ever goes backwards.
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
  std::uint64_t hand_overs;  // done before the time was over
  std::uint64_t backward;    // readings below the one handed over
  std::uint64_t worst_ticks;
};

// Two threads on different processors read the clock in turn; each hands its reading to the other,
// whose next reading must not be lower. Fails with kUnsupported for clocks of one thread's CPU time
// and where only one processor may be used.
Result<Order> MeasureOrder(const Clock& clock, const OrderConfig& config);

}  // namespace tare::clock
