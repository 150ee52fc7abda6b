// perturb_judge.cc: `tare perturb judge`: tests traces against a baseline.
#include <fmt/format.h>

#include <array>

#include "analysis/perturb/baseline_file.h"
#include "base/printable.h"
#include "base/stop.h"
#include "cli/commands.h"
#include "cli/commands/perturb/perturb_options.h"
#include "cli/commands/perturb/perturb_tables.h"

namespace tare::cli {
namespace {

struct JudgeOptions : JudgingOptions {
  std::string baseline;
  std::vector<std::string> metrics;
  bool accept_incomplete = false;
};

const std::vector<Flag<JudgeOptions>> kFlags = WithJudgingFlags<JudgeOptions>({
    {{"--baseline", "FILE", "what tare perturb baseline has written"}, &JudgeOptions::baseline},
    {{"--metric", "NAME...", "judge these metrics only (those that the baseline watches)"},
     &JudgeOptions::metrics},
    {{"--accept-incomplete", "", "judge traces that were cut short, too"},
     &JudgeOptions::accept_incomplete},
});

constexpr std::array kExamples = {
    Example{"tare perturb judge --baseline plain.baseline run.series",
            "whether measuring changed what was measured"},
    Example{"tare perturb judge --baseline plain.baseline --align-by l1d-misses *.series",
            "several runs, laid over the baseline by one metric"},
};

Result<Outcome> Run(const JudgeOptions& options, Session& session) {
  if (options.baseline.empty()) {
    return Fail(ErrorKind::kUsage, "--baseline FILE is needed; tare perturb baseline writes one");
  }
  TRY(const Judging judging, JudgingOf(options));
  TRY(auto stored, perturb::ReadBaseline(options.baseline));
  const auto& metrics = options.metrics.empty() ? stored.metrics : options.metrics;
  TRY(const auto baseline, perturb::MakeBaseline(std::move(stored.runs), {.metrics = metrics}));
  const auto steps = static_cast<double>(session.operands.size() + 1);
  double done = 0;
  const auto step = [&](const std::string& what) -> Result<void> {
    if (session.progress(done++ / steps, what)) return {};
    return Stopped();
  };
  TRY_VOID(step("the baseline's runs against each other"));
  TRY(const auto outer, perturb::MakeOuterBaseline(baseline, judging.align));
  std::vector<perturb::Judgement> traces;
  for (const std::string& file : session.operands) {
    TRY_VOID(step(file));
    TRY(const auto run, perturb::ReadSignals(file, file, options.accept_incomplete));
    TRY(auto judged, perturb::JudgeRun(baseline, outer, run, judging.align, judging.how));
    traces.push_back(std::move(judged));
  }
  Outcome outcome;
  outcome.document.title = fmt::format("Perturbation against {}", Printable(options.baseline));
  AddJudgements(traces, judging.how, session.machine_readable, outcome.document);
  return outcome;
}

}  // namespace

Command PerturbJudgeCommand() {
  return MakeCommand<JudgeOptions>(
      {"perturb judge",
       "whether traces are still like those of a baseline",
       "Judges traces of tare trace against a baseline, in two ways. Inside a trace: what every "
       "pair of metrics has to do with each other (Spearman's correlation) against what it had in "
       "the baseline's runs. Outside: the trace is laid over each of those runs by dynamic time "
       "warping, and every metric is correlated with itself. A change is significant when the "
       "baseline's own runs hardly ever differ as much, corrected for the number of tests (Holm, "
       "and "
       "the largest change among the baseline's runs). "
       "Where in time the trace is far from the baseline is shown as well.",
       kExamples,
       false,
       {"TRACE...", 1, 100000}},
      kFlags, Run);
}

}  // namespace tare::cli
