// perturb_judge.cc: `tare perturb judge`: traces against a baseline.
#include <fmt/format.h>

#include <array>

#include "base/printable.h"
#include "cli/commands.h"
#include "cli/perturb_tables.h"
#include "perturb/baseline_file.h"

namespace tare::cli {
namespace {

constexpr std::size_t kStretches = 40;

struct JudgeOptions {
  std::string baseline;
  std::string align_by;
  std::vector<std::string> metrics;
  std::optional<double> alpha;
  std::optional<double> least;
  std::optional<double> band;
  bool accept_incomplete = false;
};

const auto kFlags = std::to_array<Flag<JudgeOptions>>({
    {{"--baseline", "FILE", "what tare perturb baseline has written"}, &JudgeOptions::baseline},
    {{"--metric", "NAME...", "judge these metrics only (those that the baseline watches)"},
     &JudgeOptions::metrics},
    {{"--alpha", "P", "chance of a false alarm for a run's inner, and for its outer tests (0.05)"},
     &JudgeOptions::alpha},
    {{"--least", "X", "changes of a correlation that are smaller never count (0.01)"},
     &JudgeOptions::least},
    {{"--align-by", "NAME", "match records by this metric alone (all together)"},
     &JudgeOptions::align_by},
    {{"--band", "PART", "records that meet may be this part of the length apart (0.1)"},
     &JudgeOptions::band},
    {{"--accept-incomplete", "", "judge traces that were cut short, too"},
     &JudgeOptions::accept_incomplete},
});

constexpr std::array kExamples = {
    Example{"tare perturb judge --baseline plain.baseline run.series",
            "whether measuring changed what was measured"},
    Example{"tare perturb judge --baseline plain.baseline --align-by l1d-misses *.series",
            "several runs, laid over the baseline by one metric"},
};

Result<double> Between(const std::optional<double>& given, double otherwise, double low,
                       double high, std::string_view option) {
  const double value = given.value_or(otherwise);
  if (value >= low && value <= high) return value;
  return Fail(ErrorKind::kUsage,
              fmt::format("{} {}: {} to {} is expected", option, value, low, high));
}

Result<JudgedTrace> JudgeTrace(const std::string& file, const perturb::Baseline& baseline,
                               const perturb::OuterBaseline& outer,
                               const perturb::AlignOptions& align, const perturb::JudgeOptions& how,
                               bool accept_incomplete) {
  TRY(const auto run, perturb::ReadSignals(file, file, accept_incomplete));
  JudgedTrace judged;
  judged.trace = file;
  TRY(judged.inner, perturb::JudgeInner(baseline, run, how));
  TRY(judged.outer, perturb::JudgeOuter(baseline, outer, run, align, how));
  TRY(judged.local, perturb::ScoreLocally(baseline, outer, run, kStretches, align, how));
  return judged;
}

Result<Outcome> Run(const JudgeOptions& options, Session& session) {
  if (options.baseline.empty()) {
    return Fail(ErrorKind::kUsage, "--baseline FILE is needed; tare perturb baseline writes one");
  }
  perturb::JudgeOptions how;
  perturb::AlignOptions align;
  TRY(how.alpha, Between(options.alpha, how.alpha, 0.0001, 0.5, "--alpha"));
  TRY(how.least, Between(options.least, how.least, 0, 2, "--least"));
  TRY(align.band, Between(options.band, align.band, 0.001, 1, "--band"));
  align.by = options.align_by;
  TRY(auto stored, perturb::ReadBaseline(options.baseline));
  const auto& metrics = options.metrics.empty() ? stored.metrics : options.metrics;
  TRY(const auto baseline, perturb::MakeBaseline(std::move(stored.runs), {.metrics = metrics}));
  const auto steps = static_cast<double>(session.operands.size() + 1);
  double done = 0;
  const auto step = [&](const std::string& what) -> Result<void> {
    if (session.progress(done++ / steps, what)) return {};
    return Fail(ErrorKind::kInterrupted, "stopped by the user");
  };
  TRY_VOID(step("the baseline's runs against each other"));
  TRY(const auto outer, perturb::MakeOuterBaseline(baseline, align));
  std::vector<JudgedTrace> traces;
  for (const std::string& file : session.operands) {
    TRY_VOID(step(file));
    TRY(auto judged, JudgeTrace(file, baseline, outer, align, how, options.accept_incomplete));
    traces.push_back(std::move(judged));
  }
  Outcome outcome;
  outcome.document.title = fmt::format("Perturbation against {}", Printable(options.baseline));
  AddJudgements(traces, how, session.machine_readable, outcome.document);
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
