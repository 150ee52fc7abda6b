// step_engine.h: counts by ptrace(2): single-steps the program on the real processor.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "measure/engine/engine_run.h"
#include "measure/run/setting.h"

namespace tare::engine {

struct StepPlan {
  std::string directory;  // for the recordings
  std::optional<Region> region;
  bool children = false;
  bool pin_view = true;
  std::uint64_t features = ~std::uint64_t{0};  // AT_HWCAP mask, if pin_view is set
  run::Layout layout;                          // of the first program
  OnStep on_step;                              // may be empty
};

// Steps a program from its execve to its end on a separate thread. The tracer is in this process
// and not in the program's parent, because a program can kill its parent.
class StepTracer {
 public:
  explicit StepTracer(StepPlan plan) : plan_(std::move(plan)) {}
  // Waits for the program to end.
  ~StepTracer();
  StepTracer(const StepTracer&) = delete;
  StepTracer& operator=(const StepTracer&) = delete;

  // Call from run::RunProgram's hook `before_exec`: the process exists and waits.
  Result<void> Attach(pid_t program);
  // Call after the program has ended. An error means that the plan's layout could not be applied
  // and the program was killed at its start.
  Result<void> WaitForLayout();

 private:
  StepPlan plan_;
  std::thread thread_;
  int layout_error_ = 0;  // owned by the thread until it ends
};

}  // namespace tare::engine
