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
Judgement JudgeParanoid(const Machine& machine) {
  const auto& setting = machine.conditions.perf_event_paranoid;
  if (!setting) return NotAvailable(setting.error() + ": the kernel may lack perf events");
  const std::string value = fmt::format("{}", *setting);
  const auto& privileges = machine.conditions.privileges;
  if (*setting >= 0 && privileges && privileges->count_all) {
    return {.level = kOk,
            .value = value + " (privileged: no limit)",
            .meaning = "this process may count everything; ordinary users may not"};
  }
  if (*setting >= 3) {
    return {.level = kWarning,
            .value = value,
            .meaning = "ordinary users may open no event at all",
            .advice = "sysctl kernel.perf_event_paranoid=1, or give tare CAP_PERFMON"};
  }
  if (*setting == 2) {
    return {.level = kNote,
            .value = value,
            .meaning = "own processes can be counted, in user mode only",
            .advice = "for kernel mode: sysctl kernel.perf_event_paranoid=1"};
  }
  if (*setting >= 0) {
    return {.level = kOk,
            .value = value,
            .meaning = "own processes can be counted in user and kernel mode"};
  }
  return {.level = kOk, .value = value, .meaning = "everything can be counted"};
}

// Kernel documentation, admin-guide/LSM/Yama.rst.
Judgement JudgePtrace(const Machine& machine) {
  const auto& setting = machine.conditions.ptrace_scope;
  if (!setting) {
    if (!setting.error().starts_with("there is no")) return NotAvailable(setting.error());
    return {.level = kOk,
            .value = "not restricted",
            .meaning = "the kernel has no Yama: own processes may be traced"};
  }
  switch (*setting) {
    case 0:
      return {.level = kOk, .value = "0", .meaning = "own processes may be traced"};
    case 1:
      return {.level = kOk,
              .value = "1",
              .meaning = "programs that tare starts may be traced; running ones may not"};
    case 2:
      if (const auto& privileges = machine.conditions.privileges;
          privileges && privileges->trace_all) {
        return {.level = kOk,
                .value = "2 (privileged)",
                .meaning = "this process may trace; ordinary users may not"};
      }
      return {.level = kWarning,
              .value = "2",
              .meaning = "only root may trace: no single steps, no debugger",
              .advice = "sysctl kernel.yama.ptrace_scope=1, or give tare CAP_SYS_PTRACE"};
    default:
      return {.level = kWarning,
              .value = fmt::format("{}", *setting),
              .meaning = "nobody may trace until the machine starts again",
              .advice = "set kernel.yama.ptrace_scope=1 at the next start"};
  }
}

Judgement JudgeSeccomp(const Machine& machine) {
  const auto& mode = machine.conditions.seccomp;
  if (!mode) return NotAvailable(mode.error());
  if (*mode == Seccomp::kOff) {
    return {.level = kOk, .value = "off", .meaning = "no filter forbids system calls"};
  }
  return {.level = kNote,
          .value = *mode == Seccomp::kFilter ? "filter" : "strict",
          .meaning = "system calls are filtered; events or ptrace may be refused",
          .advice = "if they are, loosen the container's seccomp profile"};
}

Judgement JudgeWatchdog(const Machine& machine) {
  const auto& watchdog = machine.conditions.nmi_watchdog;
  if (!watchdog) return NotAvailable(watchdog.error());
  if (!*watchdog) {
    return {.level = kOk, .value = "off", .meaning = "all hardware counters are free"};
  }
  return {.level = kNote,
          .value = "on",
          .meaning = "the kernel holds one hardware counter for itself",
          .advice = "if events are multiplexed: sysctl kernel.nmi_watchdog=0"};
}

constexpr auto kRows = std::to_array<FindingRow>({
    {"perf-event-paranoid", "perf_event_paranoid", JudgeParanoid},
    {"ptrace-scope", "ptrace scope", JudgePtrace},
    {"seccomp", "system call filter", JudgeSeccomp},
    {"nmi-watchdog", "NMI watchdog", JudgeWatchdog},
});

}  // namespace

std::vector<Finding> ExaminePermissions(const Machine& machine) {
  std::vector<Finding> findings;
  AddRows(Group::kPermission, kRows, machine, findings);
  return findings;
}

}  // namespace tare::host
