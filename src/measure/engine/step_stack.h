// step_stack.h: the start of a stepped program's stack, laid out as every engine does.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "measure/engine/step_process.h"
#include "measure/run/setting.h"

namespace tare::engine {

// The program has just been loaded and `thread` stands at its stop of execve. Moves what the layout
// moves, and lays the stack out where `features`, the mask of AT_HWCAP, is given. 0, or an error
// number of run/layout.h, and the program is killed.
int LayOut(const StepProcess& process, pid_t thread, const run::Layout& layout,
           std::optional<std::uint64_t> features);

}  // namespace tare::engine
