// count.cc: `tare count`: counts what a program executes with several independent engines.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/count/count_files.h"
#include "cli/commands/count/count_options.h"
#include "cli/commands/count/count_tables.h"
#include "cli/commands/count/virtual_tables.h"
#include "cli/program_options.h"

namespace tare::cli {
namespace {

struct CountOptions : ProgramOptions, CountFileOptions, ModelOptions {
  std::string engines;
  std::string region;
  std::string per;
  std::string metrics;
  std::string events;
  std::string rep = "once";
  std::optional<std::int64_t> runs;
  std::optional<std::int64_t> top;
  bool children = false;
  bool multiplex = false;
};

constexpr auto kPer = std::to_array<std::string_view>({"function", "block", "opcode"});
constexpr auto kRep = std::to_array<std::string_view>({"once", "iteration"});

const std::vector<Flag<CountOptions>> kFlags = WithProgramFlags<CountOptions>({
    {{"--engine", "LIST",
      "valgrind, qemu, step, compiled, virtual, hardware, kernel; several with commas "
      "(all but step, compiled and virtual)"},
     &CountOptions::engines},
    {{"--region", "FUNCTION",
      "count inside this function only, callees included; main is found "
      "in stripped programs too"},
     &CountOptions::region},
    {{"--runs", "N", "runs per engine (2)"}, &CountOptions::runs},
    {{"--children", "", "count child processes and programs started by execve too"},
     &CountOptions::children},
    {{"--per", "WHAT", "also list functions, blocks or opcodes", kPer}, &CountOptions::per},
    {{"--top", "N", "rows of that list; 0 for all (20)"}, &CountOptions::top},
    {{"--machine", "NAME",
      "virtual, and compiled with --tare-stream: the processor to model, a name or a file (like "
      "this one)"},
     &CountOptions::machine},
    {{"--large-pages", "", "virtual: all memory in pages of 2 MiB"}, &CountOptions::large_pages},
    {{"--sort", "EVENT", "virtual: order functions and blocks by this event, not by instructions"},
     &CountOptions::sort},
    {{"--metrics", "LIST", "columns: all, or names with commas"}, &CountOptions::metrics},
    {{"--event", "LIST", "count these events too, by libpfm4's or the kernel's names"},
     &CountOptions::events},
    {{"--rep", "HOW", "count a rep instruction once, or for each iteration (once)", kRep},
     &CountOptions::rep},
    {{"--multiplex", "", "let hardware events take turns when there are too few counters"},
     &CountOptions::multiplex},
    {{"--compare", "", "join saved counts, or CSV, of several machines or tools: FILE..."},
     &CountOptions::compare},
    {{"--exclude", "LIST", "with --compare: machines shown and kept out of mean and deviation"},
     &CountOptions::excluded},
    {{"--explain", "", "which opcodes and events two sources differ by in saved counts: FILE..."},
     &CountOptions::explain},
    {{"--sources", "FIRST,SECOND", "with --explain: the two sources, where there are more"},
     &CountOptions::sources},
    {{"--baseline-rate", "HZ", "with --explain: the timer's rate behind the first source"},
     &CountOptions::baseline_rate},
    {{"--confidence", "P", "with --compare and --explain: of the intervals (0.95)"},
     &CountOptions::confidence},
});

constexpr std::array kExamples = {
    Example{"tare count -- ls -l", "the whole program, by every engine that is quick"},
    Example{"tare count --region main -- sort words",
            "without the loader's work: the engines agree to the instruction"},
    Example{"tare count --per function --top 10 -- gzip -c file", "where the instructions are"},
    Example{"tare count --engine step,valgrind --region main -- true",
            "single steps of the processor as a second opinion"},
    Example{"tare count --engine virtual --machine zen2 --per function -- gzip -c file",
            "misses and mispredictions of a modelled processor, by function"},
    Example{"tare count --children --json -- make", "all processes, for a script"},
    Example{"tare count --compare laptop.json cluster.json",
            "what differs between machines, and what within each"},
    Example{"tare count --explain --sources valgrind,hardware *.json",
            "which instructions or events the counter counts otherwise"},
};

Result<int> Runs(const std::optional<std::int64_t>& given) {
  const std::int64_t runs = given.value_or(2);
  if (runs >= 1 && runs <= 10000) return static_cast<int>(runs);
  return Fail(ErrorKind::kUsage, fmt::format("--runs {}: 1 to 10000 is expected", runs));
}

Result<Outcome> RunCount(const CountOptions& options, Session& session) {
  if (options.compare || options.explain) {
    return ReadCountFiles(options, options.metrics, session);
  }
  TRY_VOID(RefuseCountFiles(options, session));
  TRY(const auto choice, ChooseEngines(options.engines));
  TRY(const auto metrics, ChooseMetrics(options.metrics, session.machine_readable));
  count::CountRequest request;
  TRY(request.more_events, ChooseEvents(options.events));
  TRY(request.runs, Runs(options.runs));
  // Without engines there is only the native run.
  const auto use = choice.engines.empty() ? InputUse::kOneRun : InputUse::kSeveralRuns;
  TRY(const auto ready, Prepare(options, session, use));
  request.program = ready.program;
  request.setting = ready.setting;
  request.engine_seconds = ready.engine_seconds;
  if (!options.region.empty()) {
    TRY(request.region, engine::FindRegion(ready.program, options.region));
  }
  request.children = options.children;
  request.pin_view = !options.native_view;
  request.convention =
      options.rep == "once" ? count::RepConvention::kOnce : count::RepConvention::kPerIteration;
  request.engines = choice.engines;
  TRY(const auto models, ChooseModels(options, choice.engines));
  request.processor = models.processor;
  request.compiled_streams = models.compiled_streams;
  request.events = choice.events || !request.more_events.empty();
  request.multiplexing = options.multiplex;
  request.pass_output = true;
  request.interrupted = session.interrupted;

  count::Images images;
  TRY(const auto report,
      count::CountProgram(request, host::FindEngineFiles(), images, session.progress));
  Outcome outcome;
  outcome.beside_program = true;
  outcome.exit_status = report.ended.ShellStatus();
  report::Document& document = outcome.document;
  document.title = fmt::format("Counts of {}", request.program.path.filename().string());
  document.blocks.emplace_back(CountsTable(report, metrics));
  if (report.engines.size() > 1) document.blocks.emplace_back(LedgerTable(report));
  if (request.runs > 1 && session.machine_readable && report.reference) {
    document.blocks.emplace_back(SpreadTable(report, metrics));
  }
  if (report.native) document.blocks.emplace_back(EventsTable(*report.native));
  for (const count::EngineCounts* modelled : ModelledCounts(report)) {
    document.blocks.emplace_back(
        VirtualTable(*modelled, *models.processor, session.machine_readable));
  }
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(0, options.top.value_or(20)));
  if (auto details = DetailTable(options.per, report, models, most, !session.machine_readable)) {
    document.blocks.emplace_back(*std::move(details));
  }
  std::string summary = CountSummary(report, request.region, request.convention);
  if (models.processor) summary += VirtualSummary(*models.processor);
  document.blocks.emplace_back(report::Text{"summary", std::move(summary)});
  AddCaveats(document, AllCaveats(report));
  StateDroppedControl(document);
  AddSettings(document, report.setting);
  return outcome;
}

}  // namespace

Command CountCommand() {
  CommandText text{
      "count", "what a program executes, by several independent engines",
      "Runs the program under engines that see every instruction (Valgrind, QEMU, single steps) "
      "and "
      "once on its own with the events of kernel and processor. Says for every number whether it "
      "is "
      "exact and repeatable, and where engines differ, which cause accounts for how much.\n\n"
      "The program's own output is passed on from its first run and the report goes to standard "
      "error, as with perf and time; with --json, --csv or --markdown the report goes to standard "
      "output and the program's is dropped. The exit status is the program's.\n\n"
      "With --compare or --explain nothing is run: files of saved counts are read.",
      kExamples, true};
  text.operands = {"[FILE...]", 0, 10000};
  text.may_lack_program = true;
  return MakeCommand<CountOptions>(text, kFlags, RunCount);
}

}  // namespace tare::cli
