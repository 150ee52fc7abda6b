// trials.cc: builds, runs and judges sets, and caches the results.
#include "analysis/perturb/trials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/printable.h"
#include "stats/sample.h"

namespace tare::perturb {
namespace {

// A metric can have further channels for sums and extremes, whose names begin with its name.
bool Counts(const TraceSignals& run, const std::string& metric) {
  const auto named = [&](const std::string& name) { return name.starts_with(metric); };
  return std::ranges::any_of(run.signals, named, &Signal::name) ||
         std::ranges::any_of(run.unusable, named, &Unusable::name);
}

// Whether the build counts what was requested.
Result<void> CheckCounted(const TraceSignals& run, const MetricSet& metrics) {
  if (metrics.empty() && !run.SoftwareMetrics().empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("the program built without TARE_METRICS still counts {}: "
                            "--build must not set the metrics itself",
                            Printable(run.SoftwareMetrics().front())));
  }
  for (const std::string& metric : metrics) {
    if (Counts(run, metric)) continue;
    return Fail(ErrorKind::kUsage,
                fmt::format("the program that --build created does not count {}: check that it "
                            "rebuilds everything with tare-cc, and links the program's own "
                            "libraries statically",
                            Printable(metric)));
  }
  return {};
}

}  // namespace

Result<Trials> Trials::Begin(TrialRequest request, Builds builds, const Progress& progress) {
  TRY(auto directory, PrivateDirectory::MakeOnDisk());
  Trials trials(std::move(request), std::move(builds), std::move(directory));
  TRY_VOID(trials.TakeBaseline(progress));
  BaselineOptions options{.metrics = trials.request_.metrics,
                          .software = !trials.request_.always.empty()};
  if (options.metrics.empty() && trials.request_.baseline) {
    options.metrics = trials.stored_.metrics;
  }
  TRY(auto baseline, MakeBaseline(trials.stored_.runs, options));
  trials.stored_.metrics = baseline.metrics;
  trials.baseline_ = std::make_unique<Baseline>(std::move(baseline));
  TRY(trials.outer_, MakeOuterBaseline(*trials.baseline_, trials.request_.align));
  return trials;
}

Result<run::ResolvedProgram> Trials::ProgramFor(const MetricSet& metrics, std::size_t run) {
  TRY(const auto program, builds_.With(metrics, request_.move_code ? run + 1 : 0));
  std::vector<std::string> arguments = request_.trace.program.arguments;
  arguments[0] = program.string();
  return run::Resolve({arguments});
}

Result<sample::TraceRequest> Trials::RequestFor(const MetricSet& metrics) {
  sample::TraceRequest request = request_.trace;
  TRY(request.program, ProgramFor(metrics, request_.runs + runs_));
  return request;
}

Result<double> Trials::InstructionsOf(const sample::TraceRequest& request,
                                      const TraceSignals& run) const {
  if (run.clock == "instructions") {
    if (const auto counted = run.Instructions()) return *counted;
  }
  return CountInstructions(request);
}

Result<void> Trials::TakeBaseline(const Progress& progress) {
  if (request_.baseline) request_.move_code = request_.baseline->code_moved;
  sample::TraceRequest request = request_.trace;
  TRY(request.program, ProgramFor(request_.always, 0));
  if (request_.baseline) {
    stored_ = *request_.baseline;
    request_.trace.pace.interval_ns = stored_.runs.front().interval;
    request_.runs = stored_.runs.size();
    request_.vary = stored_.varied;
  } else {
    request.setting = request_.setting;
    TRY(auto taken, TakeRuns(request, request_.runs, request_.vary, progress,
                             [this](std::size_t run) { return ProgramFor(request_.always, run); }));
    exit_status_ = taken.exit_status;
    caveats_ = std::move(taken.caveats);
    stored_.varied = request_.vary;
    stored_.code_moved = request_.move_code;
    stored_.runs = std::move(taken.runs);
    stored_.machine = stored_.runs.front().machine;
    request_.trace.pace.interval_ns = stored_.runs.front().interval;
  }
  TRY_VOID(CheckCounted(stored_.runs.front(), request_.always));
  std::vector<double> instructions;
  for (const TraceSignals& run : stored_.runs) {
    if (run.clock == "instructions") instructions.push_back(run.Instructions().value_or(0));
  }
  if (instructions.empty()) {
    request.setting = request_.setting;
    TRY(baseline_instructions_, CountInstructions(request));
  } else {
    baseline_instructions_ = stats::MomentsOf(instructions).mean;
  }
  return {};
}

Result<std::unique_ptr<Trial>> Trials::Try(const MetricSet& metrics) {
  auto trial = std::make_unique<Trial>();
  trial->number = trials_.size() + controls_.size() + 1;
  trial->metrics = metrics;
  const MetricSet counted = WithAlways(metrics);
  TRY(auto request, RequestFor(counted));
  trial->series = directory_.path() / fmt::format("trial-{:03}.series", trial->number);
  TRY(trial->run, RunWith(request, fmt::format("trial {}", trial->number), trial->series));
  TRY_VOID(CheckCounted(trial->run, counted));
  TRY(trial->judgement, JudgeRun(*baseline_, outer_, trial->run, request_.align, request_.how));
  TRY(const double instructions, InstructionsOf(request, trial->run));
  trial->added_percent = 100 * (instructions / baseline_instructions_ - 1);
  return trial;
}

Result<const Trial*> Trials::Of(const MetricSet& metrics) {
  if (const auto known = trials_.find(metrics); known != trials_.end()) {
    return known->second.get();
  }
  TRY(auto trial, Try(metrics));
  return trials_.emplace(metrics, std::move(trial)).first->second.get();
}

Result<const Trial*> Trials::Control() {
  TRY(auto trial, Try({}));
  controls_.push_back(std::move(trial));
  return controls_.back().get();
}

Result<const Trial*> Trials::Confirmed(const MetricSet& metrics) {
  TRY(const Trial* const first, Of(metrics));
  const bool repeats = first->run.clock == "instructions" && !request_.vary && !request_.move_code;
  if (!first->judgement.IsPerturbed() || first->again || repeats) return first;
  TRY(auto request, RequestFor(WithAlways(metrics)));
  const auto file = directory_.path() / fmt::format("trial-{:03}-again.series", first->number);
  TRY(auto run, RunWith(request, fmt::format("trial {} again", first->number), file));
  TRY(auto again, JudgeRun(*baseline_, outer_, run, request_.align, request_.how));
  Trial& trial = *trials_.at(metrics);
  if (!again.IsPerturbed()) {
    // Keep the run that is closer to the baseline.
    std::swap(trial.judgement, again);
    trial.run = std::move(run);
    trial.series = file;
  }
  trial.again = std::move(again);
  return first;
}

MetricSet Trials::WithAlways(const MetricSet& metrics) const {
  MetricSet counted = request_.always;
  counted.insert(metrics.begin(), metrics.end());
  return counted;
}

Result<TraceSignals> Trials::RunWith(sample::TraceRequest& request, const std::string& name,
                                     const std::filesystem::path& file) {
  request.setting = run::WithDiscardedOutput(request_.setting);
  request.file = file;
  if (request_.vary) {
    TRY(request, WithLayout(request, request_.runs + runs_));
  }
  ++runs_;
  return TakeRun(request, name);
}

std::string Trial::Against() const { return judgement.IsPerturbed() ? VerdictOf(judgement) : ""; }

}  // namespace tare::perturb
