// layout.h: moves the stack, heap and mappings of a program that is stopped at its start.
// Async-signal-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "measure/run/setting.h"

namespace tare::run {

// `thread` must be in its PTRACE_EVENT_EXEC stop, traced by the calling thread; afterwards it is at
// the exit of execve. Moves heap and mappings and grows the stack. Returns 0 or an error number;
// after an error the program is not usable. ESRCH: the program has ended.
int MoveMemory(pid_t thread, const Layout& layout);

// Moves argc, argv, envp and the auxiliary vector down by `bytes`, and the stack pointer with them.
// The strings stay. Call after MoveMemory, which makes the room.
int MoveStack(pid_t thread, std::uint64_t bytes);

// The error kUnsupported with the meaning of an error number.
Error CannotMove(int error_number);
Error CannotTrace(int error_number);

}  // namespace tare::run
