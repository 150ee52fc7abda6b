// event_probe.cc: trying each known event.
#include "machine/pmu/event_probe.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>
#include <thread>

namespace tare::pmu {
namespace {

std::string WhyForbidden(bool with_kernel, const Permissions& permissions) {
  const auto paranoid = permissions.paranoid;
  if (paranoid && *paranoid >= 3) {
    return fmt::format("perf_event_paranoid={} does not allow unprivileged users to open events",
                       *paranoid);
  }
  if (paranoid && *paranoid == 2 && with_kernel) {
    return "perf_event_paranoid=2 does not allow counting in kernel mode";
  }
  if (permissions.filtered)
    return "a seccomp filter, such as a container's, blocks perf_event_open";
  return "the kernel does not allow it without CAP_PERFMON";
}

Attempt Try(const EventRow& row, bool with_kernel, const Permissions& permissions,
            const OpenEvent& open) {
  EventCode code;
  code.type = row.type;
  code.config = row.config;
  code.kernel = with_kernel;
  const int descriptor = open(code);
  const EventHandle event(descriptor);
  Attempt attempt;
  attempt.opens = event.IsOpen();
  if (!attempt.opens) {
    attempt.error_number = -descriptor;
    attempt.reason = WhyNotOpened(-descriptor, row.event_class, with_kernel, permissions);
    return attempt;
  }
  attempt.test = TestEvent(row, event);
  // The kernel switches and migrates threads in kernel mode only, so the event stays at 0.
  if (!with_kernel && attempt.test.works == Works::kCountsNothing &&
      (row.workload == Workload::kSleep || row.workload == Workload::kMigrate)) {
    attempt.test.reason = "it happens in kernel mode, which is not counted";
  }
  return attempt;
}

}  // namespace

Permissions PermissionsOf(const host::Conditions& conditions) {
  Permissions permissions;
  if (conditions.perf_event_paranoid) permissions.paranoid = *conditions.perf_event_paranoid;
  permissions.filtered = conditions.seccomp && *conditions.seccomp != host::Seccomp::kOff;
  return permissions;
}

std::string WhyNotOpened(int error_number, EventClass event_class, bool with_kernel,
                         const Permissions& permissions) {
  switch (error_number) {
    case ENOENT:
      return event_class == EventClass::kSoftware ? "this kernel does not know the event"
                                                  : "this machine exposes no such counter";
    case EACCES:
    case EPERM:
      return WhyForbidden(with_kernel, permissions);
    case ENOSYS:
      return permissions.filtered
                 ? "a seccomp filter blocks perf_event_open, or the kernel lacks it"
                 : "the kernel was built without perf events";
    case EOPNOTSUPP:
    case ENODEV:
      return "the counter does not support this";
    case EINVAL:
      return "the kernel does not support the event with these settings";
    case EMFILE:
    case ENFILE:
      return "too many files are open";
    case ENOMEM:
    case ENOSPC:
      return "no memory or no counter is available";
    case EBUSY:
      return "another program has exclusive use of the counter";
    case E2BIG:
      return "the kernel is too old";
    default:
      return std::generic_category().message(error_number);
  }
}

std::vector<ProbedEvent> ProbeEvents(const Permissions& permissions, const OpenEvent& open) {
  std::vector<ProbedEvent> events;
  const auto probe = [&] {
    for (const EventRow& row : KnownEvents()) {
      events.push_back({.row = row,
                        .user = Try(row, false, permissions, open),
                        .with_kernel = Try(row, true, permissions, open)});
    }
  };
  try {
    std::thread(probe).join();
  } catch (const std::system_error&) {
    // Without a new thread, the calling thread runs the probe.
    probe();
  }
  return events;
}

}  // namespace tare::pmu
