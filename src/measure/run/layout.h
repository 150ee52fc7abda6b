// layout.h: a program that stands at its start is moved: its stack, its heap, its mappings.
// Async-signal-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "measure/run/setting.h"

namespace tare::run {

// The thread must stand at its stop of execve, traced by the calling thread, and stands at the end
// of its execve afterwards. Moves heap and mappings, and makes room for the stack. 0, or an error
// number; after an error the program is good for nothing. ESRCH: it has ended meanwhile.
int MoveMemory(pid_t thread, const Layout& layout);

// Moves argc, the pointers behind it and the auxiliary vector down, and the stack pointer with
// them; the strings stay. After MoveMemory, which has made the room.
int MoveStack(pid_t thread, std::uint64_t bytes);

// What an error number means, as a sentence of kUnsupported.
Error CannotMove(int error_number);
Error CannotTrace(int error_number);

}  // namespace tare::run
