// event_sources.h: kernel and hardware events (perf_event_open(2)) as sources of a trace.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/result.h"
#include "machine/pmu/program_metrics.h"
#include "measure/sample/process_sources.h"
#include "measure/sample/source.h"

namespace tare::sample {

// The events that this machine can count. Testing them takes about ten milliseconds.
struct EventSelection {
  std::vector<pmu::ChosenMetric> kernel;
  std::vector<pmu::ChosenMetric> hardware;
  pmu::Permissions permissions;
};

EventSelection SelectEvents();

// Hardware events, opened on a process that has not yet called execve.
Result<Source> HardwareSource(pid_t process, const EventSelection& selection, bool tree);

// The same for events that were asked for by name.
Result<Source> RequestedSource(pid_t process, const std::vector<pmu::ProgramEvent>& events,
                               const pmu::Permissions& permissions, bool tree);

struct KernelEvents {
  Source source;
  // Absent for events that were not counted for all threads.
  EventAtEnd at_end;
};

// Reading an event disturbs the program. For a single process, only cpu-time and cpu-migrations are
// channels, because no other source reports them as well. For a process tree, minor-faults,
// major-faults and context-switches are channels too.
Result<KernelEvents> OpenKernelEvents(pid_t process, const EventSelection& selection, bool tree);

}  // namespace tare::sample
