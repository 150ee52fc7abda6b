// stopped_start.h: a program is held at its start by the supervisor, moved, and let go.
// Async-signal-safe.
#pragma once

#include <sys/types.h>

#include "measure/run/supervisor.h"

namespace tare::run {

// The program's process waits for its release, a child of the caller. False, and the failure is in
// the shared memory, when it cannot be traced.
bool TraceToStart(const Launch& launch, pid_t program);

// After the release: waits for execve, moves, and ends the tracing. A program that cannot be moved
// is killed, and the failure is in the shared memory; one that ends before is left to be waited
// for.
void MoveAtStart(const Launch& launch, pid_t program);

}  // namespace tare::run
