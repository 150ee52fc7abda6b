// step_stack.h: lays out the initial stack of a stepped program in the way common to all engines.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "measure/engine/step_process.h"
#include "measure/run/setting.h"

namespace tare::engine {

// Call when `thread` is in the PTRACE_EVENT_EXEC stop. Applies `layout` and, if `features` (the
// AT_HWCAP mask) is given, rebuilds the initial stack. Returns 0, or an error number of
// run/layout.h after killing the program.
int LayOutMemory(const StepProcess& process, pid_t thread, const run::Layout& layout,
                 std::optional<std::uint64_t> features);

}  // namespace tare::engine
