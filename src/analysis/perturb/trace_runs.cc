// trace_runs.cc: traces into a private directory and reads the signals back.
#include "analysis/perturb/trace_runs.h"

#include <fmt/format.h>

#include <cmath>

#include "base/private_directory.h"
#include "base/stop.h"
#include "measure/count/tally.h"
#include "measure/engine/engine_limit.h"
#include "measure/engine/engine_run.h"
#include "measure/run/varied_layouts.h"

namespace tare::perturb {
namespace {

Result<sample::TraceRun> Trace(const sample::TraceRequest& request) {
  TRY(auto run, sample::TraceProgram(request));
  if (run.finished.ended.interrupted) return Stopped();
  if (run.file_error) return std::unexpected(*run.file_error);
  return run;
}

}  // namespace

Result<Taken> TakeRuns(const sample::TraceRequest& request, std::size_t runs, bool vary,
                       const Progress& progress, const ProgramOfRun& program) {
  TRY(const auto directory, PrivateDirectory::MakeOnDisk());
  sample::TraceRequest paced = request;
  Taken taken;
  for (std::size_t i = 0; i < runs; ++i) {
    if (!progress(static_cast<double>(i) / static_cast<double>(runs),
                  fmt::format("run {} of {}", i + 1, runs))) {
      return Stopped();
    }
    sample::TraceRequest one = paced;
    if (vary) {
      TRY(one, WithLayout(paced, i));
    }
    if (i > 0) one.setting = run::WithDiscardedOutput(one.setting);
    if (program) {
      TRY(one.program, program(i));
    }
    one.file = directory.path() / fmt::format("run {}", i + 1);
    TRY(const auto run, Trace(one));
    TRY(auto signals, ReadSignals(one.file, fmt::format("run {}", i + 1), false));
    if (i == 0) {
      taken.exit_status = run.finished.ended.ShellStatus();
      taken.caveats = run.caveats;
      paced.pace.interval_ns = signals.interval;
    }
    taken.runs.push_back(std::move(signals));
  }
  return taken;
}

Result<TraceSignals> TakeRun(const sample::TraceRequest& request, const std::string& name) {
  TRY_VOID(Trace(request));
  return ReadSignals(request.file, name, false);
}

Result<sample::TraceRequest> WithLayout(sample::TraceRequest request, std::size_t layout) {
  TRY(const auto layouts, run::VaryLayout(request.setting, run::kMaxLayouts));
  request.setting = layouts[layout % layouts.size()];
  if (request.pace.interval_ns) {
    // Multiples of the golden ratio fill the interval evenly for any number of runs.
    constexpr double kGolden = 0.6180339887498949;
    const double part = kGolden * static_cast<double>(layout);
    const auto interval = static_cast<double>(*request.pace.interval_ns);
    request.pace.first_ns =
        static_cast<std::uint64_t>(std::ceil(interval * (1 - (part - std::floor(part)))));
  }
  return request;
}

Result<double> CountInstructions(const sample::TraceRequest& request) {
  engine::EnginePlan plan;
  plan.program = request.program;
  plan.setting = run::WithDiscardedOutput(request.setting);
  plan.limit = engine::LimitOf(engine::Engine::kValgrind, request.engine_seconds, std::nullopt);
  plan.interrupted = request.interrupted;
  TRY(const auto run, engine::RunUnder(engine::Engine::kValgrind, request.engines, plan));
  if (run.finished.ended.interrupted) return Stopped();
  count::Images images;
  TRY(const auto tally, count::SumRecordings(run.recordings, count::RepConvention::kOnce, images));
  return static_cast<double>(tally.total[count::Metric::kInstructions]);
}

}  // namespace tare::perturb
