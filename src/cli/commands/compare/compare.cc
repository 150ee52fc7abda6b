// compare.cc: `tare compare`: is one command faster than another, in any memory layout?
#include <fmt/format.h>

#include <array>

#include "base/printable.h"
#include "base/stop.h"
#include "base/units.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/compare/compare_options.h"
#include "cli/commands/compare/compare_saved.h"
#include "cli/commands/compare/comparison_tables.h"
#include "cli/provenance.h"

namespace tare::cli {
namespace {

constexpr auto kOf = std::to_array<std::string_view>({"time", "counts", "both"});

const std::vector<Flag<CompareOptions>> kCompareFlags = WithProgramFlags<CompareOptions>({
    {{"--detect", "PERCENT",
      "difference that must be found, and below which commands are equal (default: 1%)"},
     &CompareOptions::detect},
    {{"--budget", "TIME",
      "time for the timed runs (default: 125 times one run of each, 2s to 1min)"},
     &CompareOptions::budget},
    {{"--runs", "N", "timed runs of each command, instead of as many as --detect needs"},
     &CompareOptions::runs},
    {{"--fixed-layout", "", "do not vary the memory layout, as hyperfine does"},
     &CompareOptions::fixed_layout},
    {{"--of", "WHAT", "compare time, counts or both (default: both)", kOf}, &CompareOptions::of},
    {{"--no-counts", "", "do not count instructions"}, &CompareOptions::no_counts},
    {{"--gate", "PERCENT",
      "exit with 1 if a slow-down is larger than this, with 3 if that is undecided"},
     &CompareOptions::gate},
    {{"--baseline", "FILE", "compare with the saved result of an earlier comparison"},
     &CompareOptions::baseline},
    {{"--resume", "FILE", "continue an interrupted comparison that was saved with --save"},
     &CompareOptions::resume},
    {{"--builds", "OLD NEW", "compare the program built in two directories"},
     &CompareOptions::builds},
    {{"--build", "COMMAND", "shell command that builds the program in each directory"},
     &CompareOptions::build},
    {{"--placements", "N",
      "builds of each directory, with object files and functions at other addresses (default: 8)"},
     &CompareOptions::placements},
    {{"--warmup", "N", "rounds of runs before the timed ones (default: 0)"},
     &CompareOptions::warm_up},
    {{"--event", "LIST",
      "also count these events in every timed run, by the names that tare count --event takes"},
     &CompareOptions::events},
    {{"--prepare", "COMMAND", "shell command before each run, not timed"},
     &CompareOptions::prepare},
    {{"--setup", "COMMAND", "shell command before all runs"}, &CompareOptions::setup},
    {{"--cleanup", "COMMAND", "shell command after all runs"}, &CompareOptions::cleanup},
    {{"--parameter", "NAME VALUES", "compare commands with {NAME} replaced by 1,2,4"},
     &CompareOptions::parameter},
    {{"--shell", "", "run the commands with /bin/sh (default: no shell)"}, &CompareOptions::shell},
    {{"-i,--ignore-failure", "", "compare commands that fail"}, &CompareOptions::ignore_failure},
    {{"--control", "", "also compare the first command with itself"}, &CompareOptions::control},
    {{"--machine", "NAME", "also count cache, TLB and branch events of this processor"},
     &CompareOptions::machine},
    {{"--confidence", "P", "confidence level of the intervals (default: 0.95)"},
     &CompareOptions::confidence},
    {{"--seed", "N", "seed of layouts and orders (default: 1)"}, &CompareOptions::seed},
    {{"-v,--verbose", "", "show functions, layouts and a plot of the times"},
     &CompareOptions::verbose},
});

constexpr std::array kCompareExamples = {
    Example{"tare compare 'gzip -1 -k -c file' 'gzip -9 -k -c file'",
            "which is faster, by how much, and what the counts say"},
    Example{"tare compare -- sort words -- sort -u words", "the same without quotes"},
    Example{"tare compare --detect 0.5% --budget 2min ./old ./new",
            "find differences of half a percent"},
    Example{"tare compare --gate 2% ./old ./new", "for CI: fail if new is more than 2 % slower"},
    Example{"tare compare --builds old new --build make -- ./program input",
            "rebuild both with code at other addresses, too"},
    Example{"tare compare --parameter level 1,6,9 'xz -{level} -k -c file'",
            "one command with several values"},
};

void AddBlocks(const CompareView& view, const CompareOptions& options, Outcome& outcome) {
  report::Document& document = outcome.document;
  const auto add = [&](report::Block block, std::string_view id, bool shown) {
    document.blocks.push_back(std::move(block));
    if (!shown) outcome.not_in_text.emplace_back(id);
  };
  const bool timed = !view.report.answers.empty();
  add(report::Text{"answer", CompareAnswer(view)}, "answer", true);
  add(ComparisonTable(view), "comparison", timed);
  if (view.has_control && timed) add(ControlTable(view), "control", true);
  if (timed) add(DistributionSeries(view), "distribution", options.verbose);
  const bool few = view.Commands() <= 3;
  add(CountsTable(view), "counts", !few);
  report::Table changes = ChangesTable(view);
  const bool counted = !changes.rows.empty();
  add(std::move(changes), "changes", few && counted);
  add(ResourcesTable(view), "resources", few && timed);
  if (!options.events.empty()) add(EventsTable(view), "events", true);
  add(FunctionsTable(view, options.verbose ? 20 : 200), "functions", options.verbose);
  add(FunctionCountsTable(view), "function_counts", false);
  add(LayoutsTable(view), "layouts", false);
  add(SamplesTable(view), "samples", false);
}

void AddSpent(const CompareView& view, report::Document& document) {
  const compare::CompareReport& report = view.report;
  if (report.rounds.empty()) return;
  document.blocks.emplace_back(report::Text{
      "spent", fmt::format("{} {} of each command in {} s of a budget of {} s.",
                           report.rounds.size(), report.rounds.size() == 1 ? "run" : "runs",
                           Rounded(report.spent_seconds, 3), Rounded(report.budget_seconds, 3))});
}

void AddTrust(const CompareView& view, report::Document& document) {
  std::vector<Caveat> caveats = view.report.caveats;
  for (std::size_t command = 1; command < view.report.answers.size(); ++command) {
    const auto& answer = view.report.answers[command];
    const std::string name = Printable(view.report.labels[command]);
    const bool control = view.has_control && command + 1 == view.report.answers.size();
    if (control &&
        (answer.answer == compare::Answer::kFaster || answer.answer == compare::Answer::kSlower)) {
      caveats.push_back({CaveatId::kControlDiffers, ""});
    }
    if (!answer.ratio.HasInterval()) {
      caveats.push_back({CaveatId::kFewSamples, fmt::format("'{}'", name)});
    } else if (!control && !answer.ratio.Contains(answer.mean_ratio)) {
      caveats.push_back({CaveatId::kRareSlowRuns, fmt::format("'{}': {} for the means", name,
                                                              Rounded(answer.mean_ratio, 4))});
    }
  }
  std::size_t outliers = 0;
  for (const auto& answer : view.report.answers) outliers += answer.outliers;
  const std::size_t runs = view.report.rounds.size() * view.report.labels.size();
  if (outliers * 20 > runs) {
    caveats.push_back(
        {CaveatId::kOutliers, fmt::format("{} of {} runs; none was dropped", outliers, runs)});
  }
  caveats.insert(caveats.end(), view.report.disturbances.begin(), view.report.disturbances.end());
  AddCaveats(document, caveats);
}

// Tables without a column of sources have the counts of the engine.
void AddSources(const CompareView& view, Outcome& outcome) {
  std::vector<std::string> engines;
  for (const compare::CommandCounts& counts : view.report.counts) {
    const compare::MetricValue* found = counts.Find("instructions");
    if (found == nullptr || !found->value.exact) continue;
    if (std::ranges::find(engines, found->source) == engines.end())
      engines.push_back(found->source);
  }
  outcome.sources = {"hardware", "kernel"};
  outcome.sources.insert(outcome.sources.end(), engines.begin(), engines.end());
  for (const char* id : {"changes", "functions", "function_counts"})
    outcome.sources_of_block[id] = engines;
  outcome.sources_of_block["resources"] = {"hardware"};
}

Result<void> CheckBaseline(const SavedComparison& saved, compare::CompareRequest& request) {
  if (!request.times) return {};
  if (saved.machine != ThisMachine().machine) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--baseline: it was measured on another machine, {}; times cannot be "
                            "compared, counts can: add --of counts",
                            Printable(saved.machine)));
  }
  if (saved.rounds.empty()) {
    return Fail(ErrorKind::kUsage, "--baseline: it has no times; add --of counts");
  }
  if (saved.seed != request.plan.seed || saved.fixed_layout != request.fixed_layout) {
    return Fail(ErrorKind::kUsage,
                "--baseline: it has another --seed or --fixed-layout, and so "
                "other layouts; use the same");
  }
  if (request.runs) return {};
  std::size_t rounds = 0;
  for (const auto& timed : saved.rounds) {
    rounds += (timed.round.layout == 0) == request.fixed_layout ? 1 : 0;
  }
  request.runs = std::max<std::size_t>(rounds, 1);
  return {};
}

Result<Outcome> RunCompare(const CompareOptions& options, Session& session) {
  TRY(auto ready, PrepareComparison(options, session));
  compare::CompareRequest& request = ready.request;
  count::Images images;
  request.count.images = &images;
  std::optional<SavedComparison> baseline;
  if (!options.baseline.empty()) {
    TRY(baseline, ReadComparison(options.baseline));
    TRY_VOID(CheckBaseline(*baseline, request));
  }
  if (!options.resume.empty()) {
    TRY(const auto saved, ReadComparison(options.resume));
    TRY_VOID(RequireSame(saved, request, ThisMachine().machine));
    request.earlier = InOrderOf(saved, request);
  }
  TRY(auto report, compare::CompareCommands(request, session.progress));
  if (baseline) report = WithBaseline(*baseline, std::move(report), request);

  std::optional<double> gate;
  if (!options.gate.empty()) {
    TRY(gate, ParsePercentage("--gate", options.gate));
  }
  report.caveats.insert(report.caveats.end(), ready.caveats.begin(), ready.caveats.end());
  const CompareView view{report,     request.detect, request.fixed_layout, request.has_control,
                         !!baseline, gate,           !request.times};
  Outcome outcome;
  outcome.exit_status = report.interrupted ? StopStatus() : GateStatus(view);
  outcome.document.title = fmt::format("Comparison of {} commands", view.Commands());
  outcome.document.provenance.seed = request.plan.seed;
  AddBlocks(view, options, outcome);
  AddSpent(view, outcome.document);
  AddTrust(view, outcome.document);
  AddSources(view, outcome);
  AddSettings(outcome.document, request.plan.commands.front().timed);
  return outcome;
}

}  // namespace

Command CompareCommand() {
  static constexpr auto kForms = std::to_array<std::string_view>(
      {"COMMAND COMMAND...", "-- PROGRAM [ARGUMENT...] -- PROGRAM [ARGUMENT...]",
       "--builds OLD NEW --build COMMAND -- PROGRAM..."});
  return MakeCommand<CompareOptions>(
      {"compare",
       "state whether a command is faster than another, over memory layouts",
       "Runs two or more commands in turn, in random order, each pair of runs in another memory "
       "layout: stack, heap and library addresses, environment size, length of the working "
       "directory's path. Gives the ratio of the times with its confidence interval over layouts, "
       "and says whether the commands differ, take the same time, or need more runs for an answer. "
       "Exact instruction counts show where a difference comes from.\n\n"
       "Each command is one quoted argument, split into words without a shell; --shell uses one. "
       "Or each follows -- without quotes. Output of the commands is discarded. The exit status is "
       "0, also if commands differ; with "
       "--gate it is 1 for a slow-down and 3 if that is undecided.",
       kCompareExamples,
       true,
       {"COMMAND...", 0, 64},
       true,
       kForms},
      kCompareFlags, RunCompare);
}

}  // namespace tare::cli
