// step_engine.h: counting by ptrace: the program runs one instruction at a time on the processor
// itself.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "count/engine_run.h"

namespace tare::count {

struct StepPlan {
  std::string folder;  // for the recordings
  std::optional<Region> region;
  bool children = false;
  bool pin_view = true;
};

// For the hook `supervise` of run::RunProgram; the recordings are complete when that returns.
std::function<int(pid_t program, const std::function<void()>& release)> StepSupervisor(
    const StepPlan& plan);

}  // namespace tare::count
