// step_traps.cc: the signal codes and system call numbers of x86-64 and AArch64.
#include "measure/engine/step_traps.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace tare::engine {

Trap TrapOf(pid_t thread) {
  siginfo_t info{};
  if (ptrace(PTRACE_GETSIGINFO, thread, nullptr, &info) != 0) return Trap::kNone;
  // AArch64 does not report the end of a stepped system call; x86-64 reports it as TRAP_BRKPT,
  // whereas int3 gives SI_KERNEL. Entry to a signal handler is reported with the si_code SIGTRAP.
  if (info.si_code == SIGTRAP) return Trap::kHandlerEntry;
  if (info.si_code == SI_USER) return info.si_pid == 0 ? Trap::kStep : Trap::kNone;
#if defined(__x86_64__)
  if (info.si_code == TRAP_BRKPT) return Trap::kStep;
#endif
  const bool step = info.si_code == TRAP_TRACE || info.si_code == TRAP_HWBKPT;
  return step ? Trap::kStep : Trap::kNone;
}

bool TrapPending(pid_t thread) {
  std::ifstream file(fmt::format("/proc/{}/status", thread));
  for (std::string line; std::getline(file, line);) {
    unsigned long long pending = 0;
    if (std::sscanf(line.c_str(), "SigPnd: %llx", &pending) == 1) {
      return (pending >> (SIGTRAP - 1) & 1) != 0;
    }
  }
  return false;
}

bool IsOrphan(pid_t id) {
  std::ifstream file(fmt::format("/proc/{}/stat", id));
  std::string text;
  std::getline(file, text);
  // "PID (NAME) STATE PARENT ...": NAME may contain any character, including ')'; see proc(5).
  pid_t parent = 0;
  char state = 0;
  const auto end = text.rfind(')');
  if (end == std::string::npos) return false;
  return std::sscanf(text.c_str() + end + 1, " %c %d", &state, &parent) == 2 && parent == getpid();
}

bool ChangesMappings(std::uint64_t call) {
#if defined(__aarch64__)
  return call == 222 || call == 215 || call == 226;
#else
  return call >= 9 && call <= 11;
#endif
}

bool MakesProcess(std::uint64_t call) {
#if defined(__aarch64__)
  return call == 220 || call == kClone3;
#else
  return (call >= 56 && call <= 58) || call == kClone3;
#endif
}

}  // namespace tare::engine
