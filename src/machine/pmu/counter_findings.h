// counter_findings.h: counters and events of a machine, and what they mean for measuring.
#pragma once

#include <vector>

#include "base/result.h"
#include "machine/host/energy.h"
#include "machine/host/engines.h"
#include "machine/host/findings.h"
#include "machine/pmu/counter_errata.h"
#include "machine/pmu/event_names.h"
#include "machine/pmu/event_probe.h"
#include "machine/pmu/pmu.h"

namespace tare::pmu {

struct CounterState {
  std::vector<Pmu> pmus;
  std::vector<ProbedEvent> events;
  UserRead user_read;
  Result<std::vector<EventTable>> tables;
  std::vector<CounterErratum> errata;  // that the vendor names for this processor
  host::EnergyCounters energy;
};

// Probes events on the running machine; reads the PMUs below the root of `files`.
CounterState ReadCounters(const host::SystemFiles& files, const host::Conditions& conditions,
                          const OpenEvent& open = OpenForThisThread);

// Rows of group kCounters: PMUs, each class of events, reads from user mode, event names, errata,
// energy.
std::vector<host::Finding> ExamineCounters(const CounterState& state);

// The engines `hardware` and `kernel`.
std::vector<host::Engine> CounterEngines(const CounterState& state);

// One line about an attempt: "counts", "does not count: ...", "opens", or why it does not open.
std::string Describe(const Attempt& attempt);

}  // namespace tare::pmu
