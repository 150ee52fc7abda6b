// suspects.cc: by elimination: system inputs that were not fixed.
#include "analysis/why/suspects.h"

#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>

namespace tare::why {
namespace {

// System calls that return the process's ids. The C library calls set_tid_address(2), which returns
// the main thread's, at every start, so that call is not evidence.
constexpr std::array<std::uint32_t, 5> kIdCalls = {SYS_getpid, SYS_getppid, SYS_gettid, SYS_getpgid,
                                                   SYS_getsid};

std::uint64_t IdCalls(const format::SystemLog& system_log) {
  std::uint64_t calls = 0;
  for (const std::uint32_t call : kIdCalls) {
    const auto found = system_log.calls.find(call);
    if (found != system_log.calls.end()) calls += found->second;
  }
  return calls;
}

struct SystemInputRow {
  Factor factor;
  format::SystemLogKind kind;
  const char* what;
};

constexpr std::array kSystemInputRows = {
    SystemInputRow{Factor::kThreads, format::SystemLogKind::kThread, "it created {} threads"},
    SystemInputRow{Factor::kNetwork, format::SystemLogKind::kNetwork,
                   "it read from sockets {} times"},
    SystemInputRow{Factor::kTime, format::SystemLogKind::kTime, "it read the time {} times"},
    SystemInputRow{Factor::kRandom, format::SystemLogKind::kRandom,
                   "it read random numbers {} times"},
    SystemInputRow{Factor::kSystem, format::SystemLogKind::kSystem,
                   "it read the state of the system {} times"},
};

}  // namespace

std::vector<Suspect> SuspectsOf(const std::optional<format::SystemLog>& log,
                                const std::vector<FactorLevels>& fixed) {
  std::vector<Suspect> suspects;
  const auto is_fixed = [&](Factor factor) {
    return std::ranges::find(fixed, factor, &FactorLevels::factor) != fixed.end();
  };
  if (log) {
    for (const SystemInputRow& row : kSystemInputRows) {
      const std::uint64_t times = log->Requests(row.kind);
      if (times == 0 || is_fixed(row.factor)) continue;
      suspects.push_back({row.factor, fmt::format(fmt::runtime(row.what), times)});
    }
    if (const auto times = IdCalls(*log); times > 0 && !is_fixed(Factor::kProcessId)) {
      suspects.push_back(
          {Factor::kProcessId, fmt::format("it read process or thread IDs {} times", times)});
    }
  }
  if (suspects.empty()) {
    suspects.push_back(
        {Factor::kUnnamed, log ? "no other system input that is known to vary was recorded"
                               : "its system inputs could not be recorded"});
  }
  return suspects;
}

}  // namespace tare::why
