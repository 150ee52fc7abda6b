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

struct Told {
  Factor factor;
  format::SystemLogKind kind;
  const char* what;
};

constexpr std::array kTold = {
    Told{Factor::kThreads, format::SystemLogKind::kThread, "it made {} threads"},
    Told{Factor::kNetwork, format::SystemLogKind::kNetwork, "it read from sockets {} times"},
    Told{Factor::kTime, format::SystemLogKind::kTime, "it asked for the time {} times"},
    Told{Factor::kRandom, format::SystemLogKind::kRandom, "it asked for random numbers {} times"},
    Told{Factor::kSystem, format::SystemLogKind::kSystem,
         "it asked for the state of the system {} times"},
};

}  // namespace

std::vector<Suspect> SuspectsOf(const std::optional<format::SystemLog>& asked,
                                const std::vector<Choice>& held) {
  std::vector<Suspect> suspects;
  const auto is_held = [&](Factor factor) {
    return std::ranges::find(held, factor, &Choice::factor) != held.end();
  };
  if (asked) {
    for (const Told& told : kTold) {
      const std::uint64_t times = asked->Asked(told.kind);
      if (times == 0 || is_held(told.factor)) continue;
      suspects.push_back({told.factor, fmt::format(fmt::runtime(told.what), times)});
    }
    if (const auto times = IdCalls(*asked); times > 0 && !is_held(Factor::kProcessId)) {
      suspects.push_back({Factor::kProcessId, fmt::format("it asked for ids {} times", times)});
    }
  }
  if (suspects.empty()) {
    suspects.push_back({Factor::kUnnamed, asked
                                              ? "it asked for nothing else that is known to vary"
                                              : "what it asks the system for cannot be seen here"});
  }
  return suspects;
}

}  // namespace tare::why
