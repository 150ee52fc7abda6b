// perturb_merge.cc: `tare perturb merge`: merges the metrics of several runs onto one time axis.
#include <fmt/format.h>

#include <array>

#include "analysis/perturb/baseline_file.h"
#include "analysis/perturb/trace_merge.h"
#include "base/printable.h"
#include "base/stop.h"
#include "cli/commands.h"
#include "cli/commands/perturb/perturb_options.h"
#include "cli/commands/perturb/perturb_plan_tables.h"

namespace tare::cli {
namespace {

struct MergeOptions : JudgingOptions {
  std::string baseline;
  std::string output;
  bool accept_incomplete = false;
};

const std::vector<Flag<MergeOptions>> kFlags = WithJudgingFlags<MergeOptions>({
    {{"--baseline", "FILE", "what tare perturb plan or baseline has written"},
     &MergeOptions::baseline},
    {{"-o,--output", "FILE", "the series that is made"}, &MergeOptions::output},
    {{"--accept-incomplete", "", "take traces that were cut short, too"},
     &MergeOptions::accept_incomplete},
});

constexpr std::array kExamples = {
    Example{"tare perturb merge --baseline groups/baseline -o all.series groups/group-*.series",
            "one vertical trace of all metrics"},
    Example{"tare perturb merge --baseline plain.baseline -o all.series --json calls.series "
            "bytes.series",
            "of traces that were taken by hand; the trust of each metric for a program"},
};

Result<Outcome> Run(const MergeOptions& options, Session& session) {
  if (options.baseline.empty() || options.output.empty()) {
    return Fail(ErrorKind::kUsage,
                "--baseline FILE and --output FILE are needed: what the traces are laid over, and "
                "what is made of them");
  }
  TRY(const Judging judging, JudgingOf(options));
  TRY_VOID(CheckDirectory(options.output));
  TRY(auto stored, perturb::ReadBaseline(options.baseline));
  TRY(const auto baseline,
      perturb::MakeBaseline(std::move(stored.runs), {.metrics = stored.metrics}));
  if (!session.progress(0, "the baseline's runs against each other")) {
    return Stopped();
  }
  TRY(const auto outer, perturb::MakeOuterBaseline(baseline, judging.align));
  std::vector<perturb::TraceSignals> traces;
  for (const std::string& file : session.operands) {
    TRY(auto trace, perturb::ReadSignals(file, file, options.accept_incomplete));
    traces.push_back(std::move(trace));
  }
  if (!session.progress(0.5, "aligning")) {
    return Stopped();
  }
  TRY(const auto merged, perturb::Merge(baseline, outer, traces, judging.align, judging.how));
  TRY_VOID(perturb::WriteMerged(options.output, baseline, merged));
  Outcome outcome;
  outcome.document.title = fmt::format("Merged into {}", Printable(options.output));
  AddMerged(baseline, merged, options.output, outcome.document);
  return outcome;
}

}  // namespace

Command PerturbMergeCommand() {
  return MakeCommand<MergeOptions>(
      {"perturb merge",
       "software metrics of several runs in one vertical trace",
       "Lays traces over the baseline's most typical run by dynamic time warping and writes that "
       "run's own metrics and all software metrics of the traces as one series, as if one run had "
       "counted everything. Totals stay what they were. Each metric's trust is how well its course "
       "agrees with itself when its trace is laid over another run of the baseline first.",
       kExamples,
       false,
       {"TRACE...", 1, 10000}},
      kFlags, Run);
}

}  // namespace tare::cli
