// step_registers.h: signal mask and breakpoint access for stepping a stopped thread.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "measure/run/registers.h"

namespace tare::engine {

using run::Registers;

// Unblocks SIGTRAP. If a step ends while SIGTRAP is blocked, the kernel forces the signal and
// resets the program's handler to the default.
void UnblockTrap(pid_t thread);

// A breakpoint instruction, its size, and the distance from its start to the pc at which it stops.
struct Breakpoint {
  std::uint32_t code;
  unsigned bytes;
  unsigned stops_after;
};
Breakpoint BreakpointHere();

}  // namespace tare::engine
