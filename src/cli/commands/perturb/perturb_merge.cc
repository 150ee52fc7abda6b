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
#include "cli/result_files.h"

namespace tare::cli {
namespace {

struct MergeOptions : JudgingOptions {
  std::string baseline;
  std::string output;
  bool accept_incomplete = false;
};

const std::vector<Flag<MergeOptions>> kPerturbMergeFlags = WithJudgingFlags<MergeOptions>({
    {{"--baseline", "FILE", "baseline written by tare perturb plan or baseline"},
     &MergeOptions::baseline},
    {{"-o,--output", "FILE", "write the merged series to FILE"}, &MergeOptions::output},
    {{"--accept-incomplete", "", "also accept incomplete traces"},
     &MergeOptions::accept_incomplete},
});

constexpr std::array kPerturbMergeExamples = {
    Example{"tare perturb merge --baseline groups/baseline -o all.series groups/group-*.series",
            "one vertical trace of all metrics"},
    Example{"tare perturb merge --baseline plain.baseline -o all.series --json calls.series "
            "bytes.series",
            "from traces recorded by hand; the trust of each metric as JSON"},
};

Result<Outcome> RunPerturbMerge(const MergeOptions& options, Session& session) {
  if (options.baseline.empty() || options.output.empty()) {
    return Fail(
        ErrorKind::kUsage,
        "missing --baseline FILE or --output FILE: the baseline to align with, and the file "
        "to write");
  }
  TRY(const Judging judging, JudgingOf(options));
  TRY_VOID(CheckDirectory(options.output));
  TRY(auto stored, perturb::ReadBaseline(options.baseline));
  TRY(const auto baseline,
      perturb::MakeBaseline(std::move(stored.runs), {.metrics = stored.metrics}));
  if (!session.progress(0, "comparing the baseline's runs")) {
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
       "merge software metrics of several runs into one vertical trace",
       "Aligns traces with the most typical run of the baseline by dynamic time warping, and "
       "writes "
       "that run's metrics and all software metrics of the traces as one series, as if one run "
       "had counted everything. Totals do not change. The trust of a metric is how well its time "
       "series agrees with itself if its trace is aligned with another run of the baseline "
       "first.",
       kPerturbMergeExamples,
       false,
       {"TRACE...", 1, 10000}},
      kPerturbMergeFlags, RunPerturbMerge);
}

}  // namespace tare::cli
