// trace_runs.h: the same program traced again and again, with records at the same distance.
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
  std::vector<Caveat> caveats;     // of the first
  int exit_status = 0;             // of the first, as a shell reports it
};

// The program of the run of that number, from 0, where it is not the same for all.
using ProgramOfRun = std::function<Result<run::ResolvedProgram>(std::size_t run)>;

// So many runs from the layout 0 on; only the first one's output is passed on. The distance of
// records that the first one came to is that of all. `program` may be empty.
Result<Taken> TakeRuns(const sample::TraceRequest& request, std::size_t runs, bool vary,
                       const Progress& progress, const ProgramOfRun& program = {});

// One run, written to `request.file` and called `name`. What the program was built to count is
// among the signals.
Result<TraceSignals> TakeRun(const sample::TraceRequest& request, const std::string& name);

// The request with memory laid out otherwise, as number `layout` has it (of run::kMaxLayouts,
// from which on they come again), and the first record elsewhere in its interval, where that is
// known: the same program meets the clock at another moment each time.
Result<sample::TraceRequest> LaidOut(sample::TraceRequest request, std::size_t layout);

// All instructions of the program and the loader, counted by the exact engine.
Result<double> CountInstructions(const sample::TraceRequest& request);

}  // namespace tare::perturb
