// step_stack.h: the start of a stepped program's stack, laid out as every engine does.
#pragma once

#include <sys/types.h>

#include "count/step_process.h"

namespace tare::count {

// The program has just been loaded and `thread` is about to run its first instruction. False, and
// nothing changed, when the stack cannot be read or written.
bool PinStack(const StepProcess& process, pid_t thread);

}  // namespace tare::count
