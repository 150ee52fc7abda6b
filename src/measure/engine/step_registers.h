// step_registers.h: what of a stopped thread is changed for stepping, and its registers.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "measure/run/registers.h"

namespace tare::engine {

using run::Registers;

// A step that ends while the thread blocks SIGTRAP costs the program its handler of that signal:
// the kernel forces the signal through.
void UnblockTrap(pid_t thread);

// Bytes of the instruction that stops a program, and how far its stop lies behind its start.
struct Breakpoint {
  std::uint32_t code;
  unsigned bytes;
  unsigned stops_after;
};
Breakpoint BreakpointHere();

}  // namespace tare::engine
