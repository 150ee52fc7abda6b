// event_names.h: events of specific processors by name, from libpfm4's tables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/pmu/pmu_event.h"

namespace tare::pmu {

// A table of event names for a PMU of this machine. The kernel need not expose these events: a
// virtual machine shows the processor model but may hide its counters.
struct EventTable {
  std::string name;         // "skx", "arm_v1", "perf"
  std::string description;  // "Intel Skylake X"
  bool core = false;        // of the cores, not of memory controllers, links etc.
  unsigned events = 0;
  unsigned counters = 0;        // general-purpose; 0 when the table does not say
  unsigned fixed_counters = 0;  // that count one event each
};

Result<std::vector<EventTable>> EventTablesHere();

struct ResolvedEvent {
  EventCode code;
  std::string full_name;  // with every attribute, as libpfm4 spells it
};

// "instructions", "cycles:u", "MEM_LOAD_RETIRED:L3_MISS". Without ":u" or ":k" only user mode is
// counted. The error for an unknown name suggests the most similar known ones.
Result<ResolvedEvent> ResolveEvent(std::string_view name);

// Known names similar to `name`, best first, at most `most`.
std::vector<std::string> NearEventNames(std::string_view name, std::size_t max);

}  // namespace tare::pmu
