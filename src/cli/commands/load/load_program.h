// load_program.h: the program beside which `tare load` measures, and its waits for storage.
#pragma once

#include <atomic>
#include <optional>
#include <thread>

#include "base/result.h"
#include "base/stop.h"
#include "cli/program_options.h"
#include "machine/load/io_wait.h"
#include "measure/run/process.h"
#include "report/document.h"

namespace tare::cli {

// Runs the program on a thread of its own, and samples the time that it waits for storage.
class RunBesides {
 public:
  RunBesides(const ReadyProgram& ready, const StopAsked& interrupted);

  bool HasEnded() const { return ended_; }
  // Call once.
  Result<run::Finished> Wait();
  // After Wait().
  load::IoWait Waits() const { return meter_.Read(); }

 private:
  void Run(const run::ResolvedProgram& program, const run::Setting& setting,
           const StopAsked& interrupted);
  void SampleWaits();

  load::IoWaitMeter meter_;
  Result<run::Finished> finished_;
  std::atomic<pid_t> process_{0};
  std::atomic<bool> ended_{false};
  std::jthread sampler_;
  std::jthread thread_;
};

// The waits of the program and of the machine, as times and as shares of the run.
report::Table IoWaitTable(const load::IoWait& wait, double wall_seconds);

}  // namespace tare::cli
