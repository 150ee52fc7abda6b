// perturb_baseline.cc: `tare perturb baseline`: traces runs without added metrics.
#include <fmt/format.h>

#include <array>

#include "analysis/perturb/baseline_file.h"
#include "analysis/perturb/trace_runs.h"
#include "base/grouped.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/perturb/perturb_options.h"
#include "cli/commands/perturb/perturb_tables.h"
#include "cli/result_files.h"

namespace tare::cli {
namespace {

struct BaselineOptions : RunsOptions {
  bool software = false;
};

const std::vector<Flag<BaselineOptions>> kPerturbBaselineFlags = WithRunsFlags<BaselineOptions>({
    {{"-o,--output", "FILE", "write the baseline to FILE"}, &BaselineOptions::output},
    {{"--software", "",
      "also watch the software metrics of a program built by tare-cc, to compare instrumented "
      "runs with each other"},
     &BaselineOptions::software},
});

constexpr std::array kPerturbBaselineExamples = {
    Example{"tare perturb baseline -o plain.baseline --vary -- ./program input",
            "26 runs on a modelled processor, each with another memory layout"},
    Example{"tare perturb baseline -o plain.baseline --sampler observer --interval 10ms -- "
            "./program input",
            "kernel and hardware metrics over time"},
};

Result<Outcome> RunPerturbBaseline(const BaselineOptions& options, Session& session) {
  if (session.program.empty()) return ProgramMissing("perturb baseline");
  if (options.output.empty()) {
    return Fail(ErrorKind::kUsage, "missing --output FILE: where to store the baseline");
  }
  TRY_VOID(CheckDirectory(options.output));
  sample::TraceRequest request;
  TRY_VOID(ChooseSampler(options, request));
  TRY(const auto ready, Prepare(options, session));
  TRY(const std::size_t runs, RunsOf(options));
  request.program = ready.program;
  request.setting = ready.setting;
  request.engine_seconds = ready.engine_seconds;
  request.interrupted = session.interrupted;
  TRY(auto taken, perturb::TakeRuns(request, runs, options.vary, session.progress));
  perturb::StoredBaseline stored;
  stored.machine = taken.runs.front().machine;
  stored.varied = options.vary;
  stored.runs = taken.runs;
  TRY(const auto baseline,
      perturb::MakeBaseline(std::move(taken.runs),
                            {.metrics = options.metrics, .software = options.software}));
  stored.metrics = baseline.metrics;
  TRY(const auto outer, perturb::MakeOuterBaseline(baseline, {}));
  TRY_VOID(perturb::WriteBaseline(options.output, stored));

  return MakeOutcome(session, [&](bool all) -> Result<Outcome> {
    Outcome outcome;
    outcome.beside_program = true;
    outcome.exit_status = taken.exit_status;
    report::Document& document = outcome.document;
    document.title = fmt::format("Baseline of {}", run::ShownName(request.program));
    AddBaseline(baseline, outer, {}, all, document);
    document.blocks.emplace_back(report::Text{
        "answer", fmt::format("Stored {} runs of {} records and {} varying metrics in {}.",
                              baseline.runs.size(), Grouped(baseline.runs.front().length() + 1),
                              baseline.metrics.size(), Printable(options.output))});
    AddCaveats(document, taken.caveats);
    RefuseNumbers(document, taken.caveats);
    outcome.sources = SourcesOf(stored.runs.front());
    AddSettings(document, ready.setting);
    return outcome;
  });
}

}  // namespace

Command PerturbBaselineCommand() {
  return MakeCommand<BaselineOptions>(
      {"perturb baseline", "record runs without added instrumentation, and how much they differ",
       "Runs the program repeatedly with only the metrics of hardware, kernel or a modelled "
       "processor, and stores its traces in one file. From the traces tare computes the "
       "correlation of every pair of metrics, the correlation of every metric with itself in the "
       "other runs after alignment, how much these vary from run to run, and the minimum "
       "detectable change.\n\n"
       "A modelled processor gives the same counts in every run of a deterministic program. With "
       "--vary each run has another memory layout, as in practice.",
       kPerturbBaselineExamples, true},
      kPerturbBaselineFlags, RunPerturbBaseline);
}

}  // namespace tare::cli
