// named_events.h: portable names of events, resolved to an event of this processor.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/pmu/event_probe.h"
#include "machine/pmu/program_metrics.h"

namespace tare::pmu {

// One portable name. `papi` is the name of the same thing in PAPI's list of presets.
struct NamedEvent {
  std::string_view name;  // "l1d-misses"
  std::string_view papi;  // "PAPI_L1_DCM"
  std::string_view meaning;
  LoopPart part;  // tested by the known loop; kNothing: the loop cannot test it
  std::span<const std::string_view> candidates;  // names for the kernel or libpfm4, best first
};

// Accesses and misses of the caches, TLB misses, stalled cycles, conditional branches.
std::span<const NamedEvent> NamedEvents();

// By either name, whatever the case of the letters; null if there is none.
const NamedEvent* FindNamedEvent(std::string_view name);

// The first candidate that opens here and passes its test, if it has one. Without any, `absence`
// of the result says why.
ChosenMetric ChooseNamedEvent(const NamedEvent& named, const Permissions& permissions,
                              const CountLoop& count = CountLoopHere,
                              const OpenEvent& open = OpenForThisThread);

// An event by its portable name, or by its name in libpfm4 or the kernel. A portable name without
// an event here gives one that Attach() does not open, with the reason. Fails for unknown names.
Result<ProgramEvent> EventByName(const std::string& name, const Permissions& permissions,
                                 const CountLoop& count = CountLoopHere,
                                 const OpenEvent& open = OpenForThisThread);

}  // namespace tare::pmu
