// program_events.cc: opening, grouping and reading the events of another process.
#include "machine/pmu/program_events.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/check.h"

namespace tare::pmu {
namespace {

bool IsForbidden(int error_number) { return error_number == EACCES || error_number == EPERM; }

// These events occur in kernel mode only: counting user mode would always yield 0.
bool HappensInKernel(const EventCode& code) {
  return code.type == PERF_TYPE_SOFTWARE && (code.config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                             code.config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

std::string DoNotFit(std::size_t events) {
  if (events <= 1) {
    return "another program uses the counters, so this event is multiplexed: stop it, or allow "
           "multiplexing";
  }
  return fmt::format(
      "{} events do not fit on this processor's counters: request fewer, or allow multiplexing",
      events);
}

ProgramEvent Witness() {
  ProgramEvent event;
  event.name = "page-faults";
  event.code.type = PERF_TYPE_SOFTWARE;
  event.code.config = PERF_COUNT_SW_PAGE_FAULTS;
  event.event_class = EventClass::kSoftware;
  return event;
}

}  // namespace

int OpenForProcess(const ProgramEventRequest& request) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = request.code.type;
  attributes.config = request.code.config;
  attributes.config1 = request.code.config1;
  attributes.config2 = request.code.config2;
  attributes.disabled = 1;
  attributes.enable_on_exec = 1;
  attributes.inherit = request.scope != Scope::kFirstThread;
  attributes.inherit_thread = request.scope == Scope::kProcess;
  attributes.exclude_user = !request.code.user;
  attributes.exclude_kernel = !request.code.kernel;
  attributes.exclude_hv = 1;
  // Group members are scheduled together whether or not they are read together, and nothing runs at
  // the end. So each is read alone: older kernels refuse PERF_FORMAT_GROUP with `inherit`
  // (perf_event_open(2)). Not pinned: a pinned event of a child that gets no counter stops without
  // affecting the parent's times, while an ordinary one shows running < enabled.
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  const long descriptor = ::syscall(SYS_perf_event_open, &attributes, request.process, -1,
                                    request.group, PERF_FLAG_FD_CLOEXEC);
  return descriptor < 0 ? -errno : static_cast<int>(descriptor);
}

std::string AbsenceReason(int error_number, EventClass event_class, bool with_kernel,
                          const Permissions& permissions) {
  std::string reason = WhyNotOpened(error_number, event_class, with_kernel, permissions);
  switch (error_number) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      if (event_class == EventClass::kSoftware) return reason;
      return reason + "; use a machine that has it, or count with --engine valgrind";
    case EACCES:
    case EPERM:
      if (permissions.paranoid && !reason.contains("perf_event_paranoid")) {
        reason += fmt::format(" (perf_event_paranoid={})", *permissions.paranoid);
      }
      return reason + (permissions.filtered
                           ? "; allow perf_event_open in the seccomp profile"
                           : "; try sysctl kernel.perf_event_paranoid=1, or CAP_PERFMON");
    case EMFILE:
    case ENFILE:
      return reason + "; raise the limit (ulimit -n), or request fewer events";
    default:
      return reason;
  }
}

// Opens the events in order. Unless multiplexing is permitted, hardware events form one group; the
// first one that opens is its leader.
class ProgramEvents::Opener {
 public:
  Opener(pid_t process, const ProgramEventPlan& plan, const Permissions& permissions,
         const OpenProgramEvent& open, std::size_t of_processor)
      : plan_(plan), permissions_(permissions), open_(open), of_processor_(of_processor) {
    request_.process = process;
    request_.scope = plan.children ? Scope::kTree : Scope::kProcess;
  }

  // Fails when the process no longer exists.
  Result<Opened> Open(const ProgramEvent& event) {
    if (!event.absence.empty()) {
      return Opened{.name = event.name,
                    .handle = EventHandle(-1),
                    .event_class = event.event_class,
                    .with_kernel = false,
                    .scope = request_.scope,
                    .absence = event.absence};
    }
    const bool of_kernel = event.event_class == EventClass::kSoftware;
    request_.code = event.code;
    request_.group = of_kernel ? -1 : leader_;
    if (of_kernel) {
      request_.code.kernel = true;
    } else if (event.code.user) {
      request_.code.kernel = !plan_.user_only;
    }
    int descriptor = Try();
    const int first_error = -descriptor;
    if (of_kernel && IsForbidden(first_error) && !HappensInKernel(request_.code)) {
      request_.code.kernel = false;
      descriptor = Try();
    }
    if (descriptor == -ESRCH) {
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("process {} exited before its events could be opened; start it again",
                              request_.process));
    }
    Opened opened{.name = event.name,
                  .handle = EventHandle(descriptor),
                  .event_class = event.event_class,
                  .with_kernel = request_.code.kernel,
                  .scope = request_.scope,
                  .absence = ""};
    if (descriptor < 0) {
      opened.absence = WhyAbsent(-descriptor, event.event_class);
    } else if (!of_kernel && leader_ < 0 && !plan_.allow_multiplexing) {
      leader_ = descriptor;
    }
    return opened;
  }

 private:
  // Kernels before 5.13 lack inherit_thread: either all children inherit the event or none.
  int Try() {
    const int descriptor = open_(request_);
    if (descriptor != -EINVAL || request_.scope != Scope::kProcess) return descriptor;
    request_.scope = Scope::kFirstThread;
    const int narrower = open_(request_);
    if (narrower < 0) request_.scope = Scope::kProcess;
    return narrower;
  }

  std::string WhyAbsent(int error_number, EventClass event_class) {
    if (IsForbidden(error_number) && HappensInKernel(request_.code)) {
      return "it happens in kernel mode: " +
             AbsenceReason(error_number, event_class, true, permissions_);
    }
    if (request_.group >= 0 && FitsAlone()) return DoNotFit(of_processor_);
    return AbsenceReason(error_number, event_class, request_.code.kernel, permissions_);
  }

  bool FitsAlone() {
    request_.group = -1;
    return EventHandle(Try()).IsOpen();
  }

  const ProgramEventPlan& plan_;
  const Permissions& permissions_;
  const OpenProgramEvent& open_;
  std::size_t of_processor_;
  ProgramEventRequest request_;
  int leader_ = -1;
};

Result<ProgramEvents> ProgramEvents::Attach(pid_t process, const ProgramEventPlan& plan,
                                            const Permissions& permissions,
                                            const OpenProgramEvent& open) {
  CHECK(process > 0);
  ProgramEvents events;
  events.allow_multiplexing_ = plan.allow_multiplexing;
  events.of_processor_ =
      static_cast<std::size_t>(std::ranges::count_if(plan.events, [](const ProgramEvent& event) {
        return event.event_class != EventClass::kSoftware && event.absence.empty();
      }));
  Opener opener(process, plan, permissions, open, events.of_processor_);
  for (const ProgramEvent& event : plan.events) {
    TRY(Opened opened, opener.Open(event));
    events.events_.push_back(std::move(opened));
  }
  TRY(Opened witness, opener.Open(Witness()));
  events.witness_.emplace(std::move(witness));
  return events;
}

ProgramCount ProgramEvents::ReadOne(const Opened& event) const {
  ProgramCount count;
  count.name = event.name;
  count.with_kernel = event.with_kernel;
  count.scope = event.scope;
  count.absence = event.absence;
  if (!event.handle.IsOpen()) return count;
  const auto read = event.handle.Read();
  if (!read) {
    count.absence = "the event cannot be read";
    return count;
  }
  count.enabled_ns = read->enabled_ns;
  count.running_ns = read->running_ns;
  count.multiplexed = read->running_ns < read->enabled_ns;
  if (read->enabled_ns == 0) {
    count.absence = "counting did not begin: the program did not start";
  } else if (read->running_ns == 0) {
    count.absence = "the event never got a counter: other programs use them all";
  } else if (count.multiplexed && !allow_multiplexing_) {
    count.absence = DoNotFit(of_processor_);
  } else {
    count.value = read->value;
    if (count.multiplexed) {
      count.scaled = static_cast<double>(read->value) * static_cast<double>(read->enabled_ns) /
                     static_cast<double>(read->running_ns);
    }
  }
  return count;
}

std::vector<ProgramCount> ProgramEvents::Read() const {
  std::vector<ProgramCount> counts;
  counts.reserve(events_.size());
  const bool dropped = witness_ && ReadOne(*witness_).value == 0U;
  for (const Opened& event : events_) {
    ProgramCount count = ReadOne(event);
    // The kernel removes all events at such an execve, a few microseconds after it enabled them.
    if (count.value && dropped) {
      count.value.reset();
      count.scaled.reset();
      count.absence =
          "the kernel stopped counting when the program started: its file is set-user-ID or not "
          "readable; count a copy that is readable and not set-user-ID";
    }
    counts.push_back(std::move(count));
  }
  return counts;
}

std::optional<std::uint64_t> ProgramEvents::ReadNow(std::size_t event) const {
  CHECK(event < events_.size());
  return ReadOne(events_[event]).value;
}

const std::string& ProgramEvents::Absence(std::size_t event) const {
  CHECK(event < events_.size());
  return events_[event].absence;
}

}  // namespace tare::pmu
