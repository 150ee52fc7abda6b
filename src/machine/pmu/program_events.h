// program_events.h: events of another process, from its execve to its end.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/pmu/event_count.h"
#include "machine/pmu/event_probe.h"

namespace tare::pmu {

struct ProgramEvent {
  std::string name;  // the caller's name for it
  EventCode code;
  EventClass event_class = EventClass::kHardware;
  std::string absence = {};  // why there is no such event here; it is then not opened
};

// The tasks whose events are counted, from execve on.
enum class Scope {
  kFirstThread,  // only the thread that called execve
  kProcess,      // all threads of the process
  kTree,         // and all its descendants
};

struct ProgramEventPlan {
  // Earlier hardware events get counters first.
  std::vector<ProgramEvent> events;
  bool children = true;  // kTree, otherwise kProcess
  // Applies to hardware events. Software events are counted in both modes where permitted.
  bool user_only = true;
  // Multiplexes events when there are too few counters: their counts become estimates.
  bool allow_multiplexing = false;
};

struct ProgramCount {
  std::string name;
  // The count; absent when it is not available, and when it was multiplexed without permission.
  std::optional<std::uint64_t> value;
  // value x enabled / running: an estimate, present only when multiplexing was permitted and
  // occurred.
  std::optional<double> scaled;
  std::uint64_t enabled_ns = 0;  // summed over threads
  std::uint64_t running_ns = 0;
  bool multiplexed = false;
  bool with_kernel = false;    // counted in kernel mode too
  Scope scope = Scope::kTree;  // kernels before 5.13 lack kProcess and use kFirstThread
  std::string absence;         // why there is no value; empty when there is one
};

// The parameters of perf_event_open(2) for one event.
struct ProgramEventRequest {
  EventCode code;
  pid_t process = 0;
  int group = -1;  // descriptor of the group leader, or -1
  Scope scope = Scope::kTree;
};

// Returns a descriptor or a negated error number. Tests substitute their own for the kernel.
using OpenProgramEvent = std::function<int(const ProgramEventRequest& request)>;

// The event is disabled until the process calls execve, and counts on any processor.
int OpenForProcess(const ProgramEventRequest& request);

// Why the kernel refused, and what to do about it.
std::string AbsenceReason(int error_number, EventClass event_class, bool with_kernel,
                          const Permissions& permissions);

// Events that are open on one process. Closing them does not affect the process.
class ProgramEvents {
 public:
  // `process` must exist, belong to this user and not have called execve yet. An event that cannot
  // be opened is no failure: Read() returns it without a value and with the reason. Fails when
  // there is no such process.
  static Result<ProgramEvents> Attach(pid_t process, const ProgramEventPlan& plan,
                                      const Permissions& permissions,
                                      const OpenProgramEvent& open = OpenForProcess);

  // Call once, after the process and its children have ended. Returns counts in the order of the
  // plan. The execve of a set-user-ID or unreadable file ends all counting (the kernel's
  // fs/exec.c). This is detected for the first program, but not when a counted program starts
  // another such one.
  std::vector<ProgramCount> Read() const;

  // The count so far of the event at this index of the plan, while the process runs. Nothing when
  // it is not open, has never counted, or is multiplexed without permission. The kernel interrupts
  // the processor that runs the process for about a microsecond.
  std::optional<std::uint64_t> ReadNow(std::size_t event) const;

  // Why the event at this index could not be opened; empty when it is open.
  const std::string& Absence(std::size_t event) const;

 private:
  struct Opened {
    std::string name;
    EventHandle handle;
    EventClass event_class = EventClass::kHardware;
    bool with_kernel = false;
    Scope scope = Scope::kTree;
    std::string absence;
  };
  class Opener;

  ProgramEvents() = default;
  ProgramCount ReadOne(const Opened& event) const;

  bool allow_multiplexing_ = false;
  std::size_t of_processor_ = 0;  // hardware events in the plan
  std::vector<Opened> events_;
  // Page faults. Each program has at least one, at its first instruction.
  std::optional<Opened> witness_;
};

}  // namespace tare::pmu
