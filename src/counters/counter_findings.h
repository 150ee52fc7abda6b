// counter_findings.h: counters and events of a machine, and what they mean for measuring.
#pragma once

#include <vector>

#include "base/result.h"
#include "counters/event_names.h"
#include "counters/event_probe.h"
#include "counters/pmu.h"
#include "machine/engines.h"
#include "machine/findings.h"

namespace tare::counters {

struct CounterState {
  std::vector<Pmu> pmus;
  std::vector<ProbedEvent> events;
  UserRead user_read;
  Result<std::vector<EventTable>> tables;
};

// Tries events on the running machine; the units are read below the files' root.
CounterState ReadCounters(const machine::SystemFiles& files, const machine::Conditions& conditions,
                          const OpenEvent& open = OpenForThisThread);

// Rows of group kCounters: units, each class of events, reading from user mode, names.
std::vector<machine::Finding> ExamineCounters(const CounterState& state);

// The engines `hardware` and `kernel`.
std::vector<machine::Engine> CounterEngines(const CounterState& state);

// One line about an attempt: "counts", "counts nothing: ...", "opens", or why it does not open.
std::string Describe(const Attempt& attempt);

}  // namespace tare::counters
