// step_engine.h: counting by ptrace: the program runs one instruction at a time on the processor
// itself.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "count/engine_run.h"

namespace tare::count {

struct StepPlan {
  std::string folder;  // for the recordings
  std::optional<Region> region;
  bool children = false;
  bool pin_view = true;
};

// Steps a program from its execve to its end, on a thread of its own: the tracer lives in this
// process and not in the program's parent, which a program may kill.
class StepTracer {
 public:
  explicit StepTracer(StepPlan plan) : plan_(std::move(plan)) {}
  // Waits for the end of the program.
  ~StepTracer();
  StepTracer(const StepTracer&) = delete;
  StepTracer& operator=(const StepTracer&) = delete;

  // From the hook `before_exec` of run::RunProgram: the process exists and waits.
  Result<void> Attach(pid_t program);

 private:
  StepPlan plan_;
  std::thread thread_;
};

}  // namespace tare::count
