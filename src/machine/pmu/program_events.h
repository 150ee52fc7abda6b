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
  std::string name;  // as the caller calls it
  EventCode code;
  EventClass event_class = EventClass::kHardware;
};

// Whose events are counted, from execve on.
enum class Scope {
  kFirstThread,  // the thread that called execve, alone
  kProcess,      // all threads of the process
  kTree,         // and all processes that descend from it
};

struct ProgramEventPlan {
  // Those of the processor that come first have the first claim on its counters.
  std::vector<ProgramEvent> events;
  bool children = true;  // kTree, otherwise kProcess
  // Of the processor's events. Those of the kernel are counted in both modes where that is allowed.
  bool user_only = true;
  // Events take turns on the counters when there are too few: their counts become estimates.
  bool allow_multiplexing = false;
};

struct ProgramCount {
  std::string name;
  // What was counted; absent when it could not be had, and when turns were taken without leave.
  std::optional<std::uint64_t> value;
  // value x enabled / running: an estimate, there only when turns were taken with leave.
  std::optional<double> scaled;
  std::uint64_t enabled_ns = 0;  // summed over threads
  std::uint64_t running_ns = 0;
  bool multiplexed = false;
  bool with_kernel = false;    // counted in kernel mode too
  Scope scope = Scope::kTree;  // kernels before 5.13 know no kProcess and give kFirstThread
  std::string absence;         // why there is no value; empty when there is one
};

// What is asked of the kernel for one event.
struct ProgramEventRequest {
  EventCode code;
  pid_t process = 0;
  int group = -1;  // descriptor of the event that leads, or -1
  Scope scope = Scope::kTree;
};

// A descriptor, or the error number negated. Tests put their own in place of the kernel.
using OpenProgramEvent = std::function<int(const ProgramEventRequest& request)>;

// Switched off until the process calls execve; on whichever processor it runs.
int OpenForProcess(const ProgramEventRequest& request);

// Why the kernel refused, and what to do about it.
std::string AbsenceReason(int error_number, EventClass event_class, bool with_kernel,
                          const Permissions& permissions);

// Events that are open on one process. Closing them leaves the process alone.
class ProgramEvents {
 public:
  // `process` exists, is ours, and has not called execve yet. An event that cannot be opened is no
  // failure: Read() gives it without a value and with the reason. Fails when there is no such
  // process.
  static Result<ProgramEvents> Attach(pid_t process, const ProgramEventPlan& plan,
                                      const Permissions& permissions,
                                      const OpenProgramEvent& open = OpenForProcess);

  // After the end of the process and its children, once; in the order of the plan. A file that is
  // set-user-id or may not be read ends all counting at its execve: that is noticed when it is the
  // first program, and missed when a counted program starts another one like that.
  std::vector<ProgramCount> Read() const;

  // Of the event at this place of the plan, while the process runs: its count so far. Nothing when
  // it is not open, has never counted, or takes turns on a counter without leave. The kernel asks
  // the processor that runs the process, which stops it for about a microsecond.
  std::optional<std::uint64_t> ReadNow(std::size_t event) const;

  // Why the event at this place could not be opened; empty when it is open.
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
  std::size_t of_processor_ = 0;  // events asked of it
  std::vector<Opened> events_;
  // Page faults. Each program has at least one, at its first instruction.
  std::optional<Opened> witness_;
};

}  // namespace tare::pmu
