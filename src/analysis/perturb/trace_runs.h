// trace_runs.h: traces the same program repeatedly with the same sampling interval.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/perturb/signals.h"
#include "base/caveat.h"
#include "base/progress.h"
#include "base/result.h"
#include "machine/host/engine_files.h"
#include "measure/run/setting.h"
#include "measure/sample/trace_program.h"

namespace tare::perturb {

struct Taken {
  std::vector<TraceSignals> runs;  // named "run 1" and so on
  std::vector<Caveat> caveats;     // of the first run
  int exit_status = 0;             // of the first run, as a shell reports it
};

// The program of the run with that index, if it is not the same for all.
using ProgramOfRun = std::function<Result<run::ResolvedProgram>(std::size_t run)>;

// Traces `runs` runs, beginning with layout 0. Only the first run's output is passed on. All runs
// use the sampling interval at which the first one ended. `program` may be empty.
Result<Taken> TakeRuns(const sample::TraceRequest& request, std::size_t runs, bool vary,
                       const Progress& progress, const ProgramOfRun& program = {});

// Traces one run into `request.file` under the name `name`. The signals include the program's
// software metrics.
Result<TraceSignals> TakeRun(const sample::TraceRequest& request, const std::string& name);

// The request with memory layout number `layout`, modulo run::kMaxLayouts, and with another length
// of the first sampling interval, if the interval is given, so that every run has another sampling
// phase.
Result<sample::TraceRequest> WithLayout(sample::TraceRequest request, std::size_t layout);

// All instructions of the program and the loader, counted by the Valgrind engine.
Result<double> CountInstructions(const sample::TraceRequest& request);

}  // namespace tare::perturb
