// step_engine.h: counting by ptrace: the program runs one instruction at a time on the processor
// itself.
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
  std::uint64_t features = ~std::uint64_t{0};  // mask of AT_HWCAP, with that view
  run::Layout layout;                          // of the first program
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
  // Once the program has ended: whether it could be laid out as the plan says. When it could not,
  // it was killed at its start.
  Result<void> LaidOut();

 private:
  StepPlan plan_;
  std::thread thread_;
  int layout_error_ = 0;  // the thread's until it ends
};

}  // namespace tare::engine
