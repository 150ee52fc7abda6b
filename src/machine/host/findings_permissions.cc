// findings_permissions.cc: rows about what the kernel permits an ordinary user to measure.
#include <fmt/format.h>

#include <array>
#include <span>

#include "machine/host/finding_rows.h"

namespace tare::host {
namespace {

using enum Level;

// Kernel documentation, admin-guide/sysctl/kernel.rst; levels 3 and 4 come from patches in Debian
// and Ubuntu.
Assessment AssessParanoid(const Machine& machine) {
  const auto& setting = machine.conditions.perf_event_paranoid;
  if (!setting) return NotAvailable(setting.error() + ": the kernel may lack perf events");
  const std::string value = fmt::format("{}", *setting);
  const auto& privileges = machine.conditions.privileges;
  if (*setting >= 0 && privileges && privileges->count_all) {
    return {.level = kOk,
            .value = value + " (privileged: no limit)",
            .meaning = "this process may count everything; unprivileged users may not"};
  }
  if (*setting >= 3) {
    return {.level = kWarning,
            .value = value,
            .meaning = "unprivileged users cannot open any event",
            .advice = "sysctl kernel.perf_event_paranoid=1, or give tare CAP_PERFMON"};
  }
  if (*setting == 2) {
    return {.level = kNote,
            .value = value,
            .meaning = "your own processes can be counted, in user mode only",
            .advice = "for kernel mode: sysctl kernel.perf_event_paranoid=1"};
  }
  if (*setting >= 0) {
    return {.level = kOk,
            .value = value,
            .meaning = "your own processes can be counted in user and kernel mode"};
  }
  return {.level = kOk, .value = value, .meaning = "everything can be counted"};
}

// Kernel documentation, admin-guide/LSM/Yama.rst.
Assessment AssessPtrace(const Machine& machine) {
  const auto& setting = machine.conditions.ptrace_scope;
  if (!setting) {
    if (!setting.error().starts_with("there is no")) return NotAvailable(setting.error());
    return {.level = kOk,
            .value = "not restricted",
            .meaning = "the kernel has no Yama: you may trace your own processes"};
  }
  switch (*setting) {
    case 0:
      return {.level = kOk, .value = "0", .meaning = "you may trace your own processes"};
    case 1:
      return {.level = kOk,
              .value = "1",
              .meaning = "tare may trace programs that it starts, but not running ones"};
    case 2:
      if (const auto& privileges = machine.conditions.privileges;
          privileges && privileges->trace_all) {
        return {.level = kOk,
                .value = "2 (privileged)",
                .meaning = "this process may trace; unprivileged users may not"};
      }
      return {.level = kWarning,
              .value = "2",
              .meaning = "only root may trace: no single-stepping, no debugger",
              .advice = "sysctl kernel.yama.ptrace_scope=1, or give tare CAP_SYS_PTRACE"};
    default:
      return {.level = kWarning,
              .value = fmt::format("{}", *setting),
              .meaning = "tracing is disabled until the next boot",
              .advice = "set kernel.yama.ptrace_scope=1 at the next boot"};
  }
}

Assessment AssessSeccomp(const Machine& machine) {
  const auto& mode = machine.conditions.seccomp;
  if (!mode) return NotAvailable(mode.error());
  if (*mode == Seccomp::kOff) {
    return {.level = kOk, .value = "off", .meaning = "no filter blocks system calls"};
  }
  return {.level = kNote,
          .value = *mode == Seccomp::kFilter ? "filter" : "strict",
          .meaning = "system calls are filtered; perf_event_open or ptrace may fail",
          .advice = "if they fail, allow them in the container's seccomp profile"};
}

Assessment AssessWatchdog(const Machine& machine) {
  const auto& watchdog = machine.conditions.nmi_watchdog;
  if (!watchdog) return NotAvailable(watchdog.error());
  if (!*watchdog) {
    return {.level = kOk, .value = "off", .meaning = "it reserves no hardware counter"};
  }
  return {.level = kNote,
          .value = "on",
          .meaning = "the kernel reserves one hardware counter",
          .advice = "if events are multiplexed: sysctl kernel.nmi_watchdog=0"};
}

constexpr auto kPermissionRows = std::to_array<FindingRow>({
    {"perf-event-paranoid", "perf_event_paranoid", AssessParanoid},
    {"ptrace-scope", "ptrace scope", AssessPtrace},
    {"seccomp", "system call filter", AssessSeccomp},
    {"nmi-watchdog", "NMI watchdog", AssessWatchdog},
});

}  // namespace

std::vector<Finding> ExaminePermissions(const Machine& machine) {
  std::vector<Finding> findings;
  AddRows(Group::kPermission, kPermissionRows, machine, findings);
  return findings;
}

}  // namespace tare::host
