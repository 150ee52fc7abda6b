// trace_phases.h: the phases of a program, found in its vertical trace.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/commands/trace/trace_cost.h"
#include "report/document.h"

namespace tare::cli {

struct TracePhases {
  report::Table table;  // `phases`: start with its interval, length, means of the changed metrics
  std::string answer;   // one or two sentences
};

// From the metrics `shown`, by number. Nothing if the trace is too short to tell.
std::optional<TracePhases> PhasesOf(const Trace& trace, std::span<const std::size_t> shown);

// A metric's rate in the unit for people: the factor from the summary's figures, and the symbol.
struct RateUnit {
  std::string symbol;
  double factor;
};
RateUnit RateUnitOf(const Trace& trace, const format::Channel& channel);

}  // namespace tare::cli
