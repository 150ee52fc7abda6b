// stopped_start.h: the supervisor stops a program at its start, moves its memory and lets it run.
// Async-signal-safe.
#pragma once

#include <sys/types.h>

#include "measure/run/supervisor.h"

namespace tare::run {

// Call while the program's process, a child of the caller, waits for its release. If it cannot be
// traced, returns false with the failure in the shared memory.
bool TraceToStart(const Launch& launch, pid_t program);

// Call after the release: waits for execve, applies the layout and detaches. A program that cannot
// be moved is killed, with the failure in the shared memory. A program that ends earlier remains to
// be waited for.
void MoveAtStart(const Launch& launch, pid_t program);

}  // namespace tare::run
