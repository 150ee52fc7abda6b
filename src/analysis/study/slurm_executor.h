// slurm_executor.h: runs a study as arrays of Slurm tasks.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analysis/study/local_executor.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/stop.h"

namespace tare::study {

struct SlurmContext {
  std::filesystem::path results;
  std::string tare;  // as nodes find it
  StopAsked interrupted;
  // Runs a tool of Slurm; RunTool if it is empty.
  std::function<Result<std::string>(const std::vector<std::string>& words)> run_tool;
  std::chrono::milliseconds ask_every{3000};  // for the queue
  std::chrono::milliseconds look_every{200};  // for results
};

// Submits what is left, gathers results as they appear, and submits again what nodes lost. Jobs of
// an earlier call that still run are waited for. When the user interrupts, jobs keep running, and
// the next call gathers their results. Returns the number of runs gathered.
Result<std::size_t> RunOnSlurm(const StudyInProgress& parts, const SlurmContext& context,
                               const Progress& progress);

}  // namespace tare::study
