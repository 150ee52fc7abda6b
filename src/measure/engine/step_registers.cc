// step_registers.cc: signal masks by ptrace, and the breakpoint instructions of x86-64 and AArch64.
#include "measure/engine/step_registers.h"

#include <signal.h>
#include <sys/ptrace.h>

namespace tare::engine {

void UnblockTrap(pid_t thread) {
  constexpr std::uint64_t kTrap = std::uint64_t{1} << (SIGTRAP - 1);
  std::uint64_t mask = 0;
  if (ptrace(PTRACE_GETSIGMASK, thread, sizeof mask, &mask) != 0 || (mask & kTrap) == 0) return;
  mask &= ~kTrap;
  ptrace(PTRACE_SETSIGMASK, thread, sizeof mask, &mask);
}

#if defined(__aarch64__)

// brk #0 stops with the pc at itself.
Breakpoint BreakpointHere() { return {0xd4200000, 4, 0}; }

#else

// int3 stops with the pc after itself.
Breakpoint BreakpointHere() { return {0xcc, 1, 1}; }

#endif

}  // namespace tare::engine
