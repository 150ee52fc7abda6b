// run_workers.h: processes that execute runs of a study at the same time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/study/run_record.h"
#include "analysis/study/run_schedule.h"
#include "base/descriptor.h"
#include "base/result.h"

namespace tare::study {

using ExecuteRun = std::function<Result<RunRecord>(const PlannedRun&)>;

// Processes and not threads, because programs are started by fork. A worker that loses this process
// ends after the run that it executes.
class RunWorkers {
 public:
  struct Done {
    PlannedRun run;
    RunRecord record;
  };

  // `execute` is called in the workers; to be called while this process has one thread.
  static Result<RunWorkers> Start(std::size_t count, const ExecuteRun& execute);

  RunWorkers(RunWorkers&&) = default;
  RunWorkers& operator=(RunWorkers&&) = delete;
  // Interrupts what is still running, by SIGTERM, and waits for it.
  ~RunWorkers();

  bool HasIdle() const;
  bool IsRunning() const;

  // Needs an idle worker.
  Result<void> Begin(const PlannedRun& run);

  // A run that ended; nothing if none does within `wait`. Stopped() if it was interrupted.
  Result<std::optional<Done>> TakeDone(std::chrono::milliseconds wait);

 private:
  struct Worker {
    pid_t process = 0;
    Descriptor socket;
    std::optional<PlannedRun> run;  // that it executes
  };

  RunWorkers() = default;

  std::vector<Worker> workers_;
};

}  // namespace tare::study
