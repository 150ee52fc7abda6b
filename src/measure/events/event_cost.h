// event_cost.h: what recording an event costs on this machine.
#pragma once

#include "base/result.h"
#include "format/event_trace.h"

namespace tare::events {

struct EventCosts {
  format::TraceCost event;
  format::TraceCost span;    // a begin and its end
  format::TraceCost inside;  // the part of it that the span itself measures
};

// Runs tare/events.h in threads of this process, with the clock of the given number. Changes the
// environment while it runs: no other thread may use it.
Result<EventCosts> CalibrateEvents(unsigned clock, double tick_ns);

}  // namespace tare::events
