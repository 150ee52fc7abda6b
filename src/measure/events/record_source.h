// record_source.h: runs a program and records the events of its source (tare/events.h).
#pragma once

#include <filesystem>

#include "base/result.h"
#include "base/stop.h"
#include "format/event_trace.h"
#include "measure/events/record_blocks.h"
#include "measure/events/system_events.h"
#include "measure/run/process.h"

namespace tare::events {

enum class SourceClock { kFine = 0, kMonotonic = 1, kCoarse = 2 };

struct SourcePlan {
  run::ResolvedProgram program;
  run::Setting setting;
  SourceClock clock = SourceClock::kFine;
  SystemKinds system;
  StopAsked interrupted;
  format::EventTraceHead head;
  std::filesystem::path output;
};

// Whether the program was built with tare/events.h.
bool HasSourceEvents(const std::filesystem::path& program);

// kUnsupported if the program made no events because it was not built with tare/events.h, and none
// of the system were requested.
Result<Recorded> RecordSource(const SourcePlan& plan);

}  // namespace tare::events
