// perturb_intervals.cc: from the options to runs at each interval.
#include "cli/commands/perturb/perturb_intervals.h"

#include <fmt/format.h>

#include "analysis/perturb/interval_costs.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/compare/compare_options.h"
#include "cli/commands/perturb/perturb_interval_tables.h"
#include "cli/provenance.h"

namespace tare::cli {
namespace {

constexpr std::int64_t kDefaultRounds = 12;

Result<void> RefuseMetrics(const SweepOptions& options) {
  const bool adds = !options.build.empty() || !options.metrics_file.empty() ||
                    !options.add.empty() || !options.always.empty() || options.move_code ||
                    options.random_orders || options.control || options.alone ||
                    !options.baseline.empty() || !options.save_baseline.empty();
  if (adds) {
    return Fail(ErrorKind::kUsage,
                "--intervals adds no metrics; remove --build, --metrics, --add, --always, "
                "--move-code, --random-orders, --control, --alone, --baseline and "
                "--save-baseline");
  }
  if (options.method != "default") {
    return Fail(ErrorKind::kUsage, "--method judges added metrics; it needs --build");
  }
  if (options.every || options.interval || options.records || !options.machine.empty() ||
      !options.events.empty() || !options.metrics.empty()) {
    return Fail(ErrorKind::kUsage,
                "--intervals determines how often is sampled; remove --every, --interval, "
                "--records, --machine, --event and --metric");
  }
  return {};
}

Result<perturb::IntervalSampler> IntervalSamplerOf(const SweepOptions& options) {
  if (options.sampler.empty() || options.sampler == "profiler") {
    return perturb::IntervalSampler::kProfiler;
  }
  if (options.sampler == "observer") return perturb::IntervalSampler::kObserver;
  if (options.sampler == "signal") return perturb::IntervalSampler::kSignal;
  return Fail(ErrorKind::kUsage,
              "--sampler instructions has no clock, so it has no intervals; use profiler, observer "
              "or signal");
}

}  // namespace

Result<Outcome> SweepIntervals(const SweepOptions& options, Session& session) {
  if (session.program.empty()) return ProgramMissing("perturb sweep");
  TRY_VOID(RefuseMetrics(options));
  perturb::IntervalRequest request;
  TRY(request.sampler, IntervalSamplerOf(options));
  TRY(request.intervals, perturb::ParseIntervals(options.intervals, request.sampler));
  constexpr std::int64_t kMax = 1000;
  TRY(const std::int64_t rounds,
      InRange<std::int64_t>(options.runs, kDefaultRounds, 3, kMax, "--runs"));
  TRY(const Judging judging, JudgingOf(options));
  perturb::CostOptions how;
  how.sampler = request.sampler;
  how.confidence = 1 - judging.how.alpha;
  if (!options.detect.empty()) {
    TRY(how.detect, ParsePercentage("--detect", options.detect));
  }
  ProgramOptions program = options;
  // Times are those of the code that runs without tare.
  program.native_view = true;
  TRY(const auto ready, Prepare(program, session));
  request.program = ready.program;
  request.setting = ready.setting;
  request.rounds = static_cast<std::size_t>(rounds);
  request.vary = options.vary;
  request.seed = static_cast<std::uint64_t>(options.seed.value_or(1));
  request.machine = ThisMachine().machine;
  request.interrupted = session.interrupted;
  TRY(const auto taken, perturb::TakeIntervalRuns(request, session.progress));
  auto costs = perturb::CostsOf(taken.runs, request.intervals, how);
  if (request.sampler != perturb::IntervalSampler::kProfiler) {
    TRY_VOID(perturb::AddCorrelations(taken.runs, judging.align, judging.how, costs));
  }
  Outcome outcome;
  outcome.beside_program = true;
  outcome.exit_status = taken.exit_status;
  outcome.document.title =
      fmt::format("Perturbation of {} by sampling", Printable(session.program.front()));
  outcome.document.provenance.seed = request.seed;
  AddIntervals({taken.runs, costs, how}, outcome);
  AddCaveats(outcome.document, taken.caveats);
  AddSettings(outcome.document, ready.setting);
  return outcome;
}

}  // namespace tare::cli
