// perturb_options.cc: converts options to a baseline and trials.
#include "cli/commands/perturb/perturb_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/perturb/baseline_file.h"
#include "base/printable.h"
#include "base/stop.h"
#include "cli/commands.h"
#include "cli/commands/count/count_options.h"
#include "cli/provenance.h"
#include "cli/result_files.h"
#include "compiler/metrics/metrics_file.h"
#include "measure/run/varied_layouts.h"

namespace tare::cli {
namespace {

struct ChosenMetrics {
  std::vector<std::string> add;
  perturb::MetricSet always;
};

Result<ChosenMetrics> ChooseMetrics(const TrialOptions& options) {
  TRY(auto file, metrics::ReadMetrics(options.metrics_file));
  std::vector<std::string> named = options.add;
  named.insert(named.end(), options.always.begin(), options.always.end());
  TRY(const auto known, metrics::Only(file, named));
  ChosenMetrics chosen;
  chosen.always = {options.always.begin(), options.always.end()};
  chosen.add = options.add;
  if (chosen.add.empty()) {
    for (const auto& metric : file.plan.metrics) {
      if (!chosen.always.contains(metric.name)) chosen.add.push_back(metric.name);
    }
  }
  for (auto name = chosen.add.begin(); name != chosen.add.end(); ++name) {
    if (chosen.always.contains(*name) || std::find(chosen.add.begin(), name, *name) != name) {
      return Fail(ErrorKind::kUsage, fmt::format("metric {} is given twice", Printable(*name)));
    }
  }
  if (!chosen.add.empty()) return chosen;
  return Fail(ErrorKind::kUsage,
              fmt::format("{} has no [[metric]] to add", Printable(options.metrics_file)));
}

// Trials use the sampler and machine of the given baseline.
Result<perturb::StoredBaseline> ReadGiven(const TrialOptions& options, TrialOptions& as) {
  TRY(auto stored, perturb::ReadBaseline(options.baseline));
  if (stored.runs.empty()) {
    return Fail(ErrorKind::kUsage, fmt::format("{} contains no runs", Printable(options.baseline)));
  }
  as.sampler = stored.runs.front().clock == "instructions" ? "instructions" : "observer";
  if (as.sampler == "instructions" && as.machine.empty()) as.machine = stored.machine;
  if (options.runs || options.vary || options.move_code || options.every || options.interval ||
      options.records || !options.save_baseline.empty()) {
    return Fail(
        ErrorKind::kUsage,
        "--baseline determines how runs are recorded; remove --runs, --vary, --move-code, --every, "
        "--interval, --records and --save-baseline");
  }
  return stored;
}

// Checks early, before anything runs.
Result<void> RequireSameProgram(const TrialOptions& options, const perturb::TrialRequest& request,
                                const Session& session) {
  if (!request.baseline) return {};
  perturb::TraceSignals of_baseline = request.baseline->runs.front();
  of_baseline.name = options.baseline;
  perturb::TraceSignals requested = of_baseline;
  requested.name = "this request";
  requested.program = fmt::format("{}", fmt::join(session.program, " "));
  requested.machine =
      request.trace.processor ? request.trace.processor->name : request.trace.machine;
  return perturb::RequireSameKind(of_baseline, requested);
}

}  // namespace

Result<Judging> JudgingOf(const JudgingOptions& options) {
  Judging judging;
  TRY(judging.how.alpha, InRange(options.alpha, judging.how.alpha, 0.0001, 0.5, "--alpha"));
  TRY(judging.how.min_change,
      InRange(options.min_change, judging.how.min_change, 0.0, 2.0, "--min-change"));
  TRY(judging.align.band, InRange(options.band, judging.align.band, 0.001, 1.0, "--band"));
  judging.align.by = options.align_by;
  return judging;
}

Result<std::size_t> RunsOf(const RunsOptions& options) {
  constexpr std::int64_t kMax = run::kMaxLayouts;
  TRY(const std::int64_t runs, InRange<std::int64_t>(options.runs, 26, 3, kMax, "--runs"));
  return static_cast<std::size_t>(runs);
}

std::vector<std::string> SourcesOf(const perturb::TraceSignals& run) {
  if (run.clock == "instructions") return {"virtual"};
  if (run.machine == ThisMachine().machine) return {"hardware", "kernel"};
  return {};
}

Result<ReadyTrials> BeginTrials(const TrialOptions& options, const Session& session,
                                std::string_view command) {
  if (session.program.empty()) return ProgramMissing(command);
  if (options.build.empty() || options.metrics_file.empty()) {
    return Fail(
        ErrorKind::kUsage,
        "missing --build COMMAND or --metrics FILE: how to build the program, and what it can "
        "count");
  }
  if (!session.program.front().contains('/')) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--build creates the program; give its path, such as "
                            "./{}",
                            Printable(session.program.front())));
  }
  TRY(auto chosen, ChooseMetrics(options));
  TRY(const Judging judging, JudgingOf(options));
  TrialOptions as = options;
  perturb::TrialRequest request;
  if (!options.baseline.empty()) {
    TRY(request.baseline, ReadGiven(options, as));
  }
  TRY(request.runs, RunsOf(options));
  TRY_VOID(CheckDirectory(options.save_baseline));
  if (as.sampler == "observer") {
    TRY(const auto file, metrics::ReadMetrics(options.metrics_file));
    for (const std::string& event : file.events) {
      as.events += as.events.empty() ? event : "," + event;
    }
  }
  TRY_VOID(ChooseSampler(as, request.trace));
  TRY_VOID(RequireSameProgram(options, request, session));
  request.trace.engines = host::FindEngineFiles();
  request.trace.interrupted = session.interrupted;
  request.vary = options.vary;
  request.move_code = options.move_code;
  request.always = chosen.always;
  request.metrics = options.metrics;
  request.align = judging.align;
  request.how = judging.how;
  TRY(auto builds, perturb::Builds::Make({.command = options.build,
                                          .product = session.program.front(),
                                          .metrics = options.metrics_file,
                                          .interrupted = session.interrupted}));
  // The program may not exist before the build.
  if (!session.progress(0, "building without metrics")) {
    return Stopped();
  }
  TRY(const auto plain, builds.With(chosen.always));
  TRY(auto ready, Prepare(options, session));
  request.trace.program = ready.program;
  // Trials run copies, whose paths have equal length.
  if (!options.argv0_length) ready.setting.argv0_length = plain.string().size();
  request.setting = ready.setting;
  request.trace.engine_seconds = ready.engine_seconds;
  TRY(auto trials, perturb::Trials::Begin(std::move(request), std::move(builds),
                                          PartOf(session.progress, 0, kBaselineShare)));
  if (!options.save_baseline.empty()) {
    TRY_VOID(perturb::WriteBaseline(options.save_baseline, trials.Stored()));
  }
  return ReadyTrials{std::move(chosen.add), ready.setting, std::move(ready.spool),
                     std::move(trials)};
}

}  // namespace tare::cli
