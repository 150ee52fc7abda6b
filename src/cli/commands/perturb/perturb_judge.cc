// perturb_judge.cc: `tare perturb judge`: tests traces against a baseline.
#include <fmt/format.h>

#include <array>

#include "analysis/perturb/baseline_file.h"
#include "base/printable.h"
#include "base/stop.h"
#include "cli/commands.h"
#include "cli/commands/perturb/perturb_method_tables.h"
#include "cli/commands/perturb/perturb_options.h"
#include "cli/commands/perturb/perturb_tables.h"

namespace tare::cli {
namespace {

struct JudgeOptions : JudgingOptions {
  std::string baseline;
  std::vector<std::string> metrics;
  std::string method = "default";
  bool accept_incomplete = false;
};

const std::vector<Flag<JudgeOptions>> kPerturbJudgeFlags = WithJudgingFlags<JudgeOptions>({
    {{"--baseline", "FILE", "baseline written by tare perturb baseline"}, &JudgeOptions::baseline},
    {{"--metric", "NAME...", "test only these metrics (default: those of the baseline)"},
     &JudgeOptions::metrics},
    {{"--method", "WHICH", kMethodHelp, kPerturbMethods}, &JudgeOptions::method},
    {{"--accept-incomplete", "", "also accept incomplete traces"},
     &JudgeOptions::accept_incomplete},
});

constexpr std::array kPerturbJudgeExamples = {
    Example{"tare perturb judge --baseline plain.baseline run.series",
            "test whether measuring changed the program"},
    Example{"tare perturb judge --baseline plain.baseline --align-by l1d-misses *.series",
            "several runs, aligned with the baseline by one metric"},
    Example{"tare perturb judge --baseline plain.baseline --method document *.series",
            "the verdicts of the published method beside those of tare"},
};

Result<std::vector<JudgedTwice>> JudgeAgain(const perturb::Baseline& baseline,
                                            const perturb::AlignOptions& align,
                                            const std::vector<perturb::TraceSignals>& runs,
                                            const std::vector<perturb::Judgement>& traces) {
  std::vector<JudgedTwice> twice;
  TRY(const auto document, perturb::MakeDocumentBaseline(baseline, align));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    TRY(auto judged, perturb::JudgeByDocument(baseline, document, runs[i], align));
    twice.push_back({traces[i].trace, &traces[i], std::move(judged)});
  }
  return twice;
}

Result<Outcome> RunPerturbJudge(const JudgeOptions& options, Session& session) {
  if (options.baseline.empty()) {
    return Fail(ErrorKind::kUsage, "missing --baseline FILE; tare perturb baseline writes one");
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
  TRY_VOID(step("comparing the baseline's runs"));
  TRY(const auto outer, perturb::MakeOuterBaseline(baseline, judging.align));
  std::vector<perturb::Judgement> traces;
  std::vector<perturb::TraceSignals> runs;
  for (const std::string& file : session.operands) {
    TRY_VOID(step(file));
    TRY(auto run, perturb::ReadSignals(file, file, options.accept_incomplete));
    TRY(auto judged, perturb::JudgeRun(baseline, outer, run, judging.align, judging.how));
    traces.push_back(std::move(judged));
    if (options.method == "document") runs.push_back(std::move(run));
  }
  return MakeOutcome(session, [&](bool all) -> Result<Outcome> {
    Outcome outcome;
    outcome.document.title = fmt::format("Perturbation against {}", Printable(options.baseline));
    AddJudgements(traces, judging.how, all, outcome.document);
    if (options.method == "document") {
      TRY(const auto twice, JudgeAgain(baseline, judging.align, runs, traces));
      AddMethods(twice, false, outcome);
    }
    outcome.sources = SourcesOf(baseline.runs.front());
    return outcome;
  });
}

}  // namespace

Command PerturbJudgeCommand() {
  return MakeCommand<JudgeOptions>(
      {"perturb judge",
       "test whether traces differ from a baseline",
       "Compares traces of tare trace with a baseline in two ways. Inner perturbation: Spearman's "
       "correlation of every pair of metrics is compared with that in the baseline's runs. Outer "
       "perturbation: the trace is aligned with each of those runs by dynamic time warping, and "
       "every metric is correlated with itself. A change is significant if the baseline's own "
       "runs rarely differ as much, corrected for multiple tests (Holm, and the largest change "
       "among the baseline's runs). The result also shows where in time the trace is far from "
       "the baseline.",
       kPerturbJudgeExamples,
       false,
       {"TRACE...", 1, 100000}},
      kPerturbJudgeFlags, RunPerturbJudge);
}

}  // namespace tare::cli
