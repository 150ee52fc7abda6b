// event_sources.h: events of the kernel and of the processor as sources of a trace.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/result.h"
#include "machine/pmu/program_metrics.h"
#include "measure/sample/process_sources.h"
#include "measure/sample/source.h"

namespace tare::sample {

// Which events can be had here; testing them takes some ten milliseconds.
struct EventChoice {
  std::vector<pmu::ChosenMetric> kernel;
  std::vector<pmu::ChosenMetric> hardware;
  pmu::Permissions permissions;
};

EventChoice ChooseEvents();

// Events of the processor, open on a process that has not called execve.
Result<Source> HardwareSource(pid_t process, const EventChoice& choice, bool tree);

struct KernelEvents {
  Source source;
  // Nothing for events that could not be counted for all threads.
  EventAtEnd at_end;
};

// Reading an event disturbs, so of a single process only cpu-time and cpu-migrations, which nothing
// else tells so well, are channels; of a tree of processes also minor-faults, major-faults and
// context-switches.
Result<KernelEvents> OpenKernelEvents(pid_t process, const EventChoice& choice, bool tree);

}  // namespace tare::sample
