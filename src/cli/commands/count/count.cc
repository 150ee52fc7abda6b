// count.cc: `tare count`: counts what a program executes with several independent engines.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/count/count_events.h"
#include "cli/commands/count/count_files.h"
#include "cli/commands/count/count_options.h"
#include "cli/commands/count/count_samples.h"
#include "cli/commands/count/count_tables.h"
#include "cli/commands/count/machine_counts.h"
#include "cli/commands/count/virtual_tables.h"
#include "cli/program_options.h"
#include "machine/pmu/pmu.h"

namespace tare::cli {
namespace {

struct CountOptions : ProgramOptions, CountFileOptions, ModelOptions {
  std::string engines;
  std::string region;
  std::string per;
  std::string annotate;
  std::string metrics;
  std::string events;
  std::string rep = "once";
  std::optional<std::int64_t> runs;
  std::optional<std::int64_t> top;
  bool children = false;
  bool multiplex = false;
  bool list_events = false;
  bool rates = false;
};

constexpr auto kPer = std::to_array<std::string_view>({"function", "line", "block", "opcode"});
constexpr auto kRep = std::to_array<std::string_view>({"once", "iteration"});

const std::vector<Flag<CountOptions>> kCountFlags = WithProgramFlags<CountOptions>({
    {{"--engine", "LIST",
      "comma-separated: valgrind, qemu, step, compiled, virtual, hardware, kernel (default: all "
      "but step, compiled and virtual)"},
     &CountOptions::engines},
    {{"--region", "FUNCTION",
      "count inside this function only, callees included; main is found "
      "in stripped programs too"},
     &CountOptions::region},
    {{"--runs", "N",
      "runs per engine (default: 2; native runs: 7 with hardware counters, otherwise 1)"},
     &CountOptions::runs},
    {{"--children", "", "count child processes and programs started by execve too"},
     &CountOptions::children},
    {{"--per", "WHAT", "also list functions, source lines, blocks or opcodes", kPer},
     &CountOptions::per},
    {{"--annotate", "FILE", "also show this source file with the counts of its lines"},
     &CountOptions::annotate},
    {{"--top", "N", "rows of that list; 0 for all (default: 20)"}, &CountOptions::top},
    {{"--machine", "NAME...",
      "virtual, and compiled with --tare-stream: processor to model, a name or a file; again for "
      "others beside it (default: similar to this machine)"},
     &CountOptions::machines},
    {{"--change", "CHANGES",
      "virtual: also with other caches: L2.bytes=1MiB, or a range, L2.bytes=512KiB..4MiB"},
     &CountOptions::change},
    {{"--large-pages", "", "virtual: model pages of 2 MiB for all memory"},
     &CountOptions::large_pages},
    {{"--sort", "EVENT",
      "virtual: sort functions and blocks by this event (default: instructions)"},
     &CountOptions::sort},
    {{"--metrics", "LIST", "columns: all, or comma-separated names"}, &CountOptions::metrics},
    {{"--event", "LIST",
      "also count these events: portable names (--list-events), names in libpfm4 or the kernel, or "
      "@FILE, a metrics file"},
     &CountOptions::events},
    {{"--list-events", "", "list portable names of events, and what they are here; runs nothing"},
     &CountOptions::list_events},
    {{"--rates", "",
      "also show the clock frequency, from cycles and time, and the rate of interrupts"},
     &CountOptions::rates},
    {{"--rep", "HOW", "count a rep instruction once, or once per iteration (default: once)", kRep},
     &CountOptions::rep},
    {{"--multiplex", "", "multiplex hardware events if there are too few counters"},
     &CountOptions::multiplex},
    {{"--compare", "", "compare saved counts or CSV files of several machines or tools: FILE..."},
     &CountOptions::compare},
    {{"--exclude", "LIST", "with --compare: exclude these machines from mean and deviation"},
     &CountOptions::excluded},
    {{"--explain", "",
      "explain the difference of two sources in saved counts by opcodes and events: FILE..."},
     &CountOptions::explain},
    {{"--sources", "FIRST,SECOND",
      "with --explain: the two sources, if the files have more than two"},
     &CountOptions::sources},
    {{"--baseline-rate", "HZ",
      "with --explain: rate of the timer tick in the first source's counts (default: 0)"},
     &CountOptions::baseline_rate},
    {{"--confidence", "P", "confidence level of the intervals (default: 0.95)"},
     &CountOptions::confidence},
});

constexpr std::array kCountExamples = {
    Example{"tare count -- ls -l", "the whole program, with every fast engine"},
    Example{"tare count --region main -- sort words",
            "without the dynamic loader: the engines agree to the instruction"},
    Example{"tare count --per function --top 10 -- gzip -c file",
            "the functions that execute most instructions"},
    Example{"tare count --engine step,valgrind --region main -- true",
            "single-stepping as an independent check"},
    Example{"tare count --engine virtual --machine zen2 --per function -- gzip -c file",
            "misses and mispredictions of a modelled processor, by function"},
    Example{"tare count --rates --engine hardware,kernel -- ./program",
            "the clock frequency from cycles and time, and interrupts per second"},
    Example{"tare count --list-events", "names of events for --event, and what they are here"},
    Example{"tare count --children --json -- make", "all processes, as JSON"},
    Example{"tare count --compare laptop.json cluster.json",
            "differences between machines, and between runs on one machine"},
    Example{"tare count --explain --sources valgrind,hardware *.json",
            "which instructions or events the counter counts differently"},
};

Result<int> Runs(const std::optional<std::int64_t>& given) {
  const std::int64_t runs = given.value_or(2);
  if (runs >= 1 && runs <= 10000) return static_cast<int>(runs);
  return Fail(ErrorKind::kUsage, fmt::format("--runs {}: expected 1 to 10000", runs));
}

// As in the study that tested counters this way (Weaver and McKee, 2008, tables 6 to 12).
constexpr int kHardwareRuns = 7;

// Counts of the processor differ from run to run, so that one run says little about them.
Result<int> NativeRuns(const std::optional<std::int64_t>& given, const EngineSelection& selection) {
  if (given) return Runs(given);
  return selection.hardware && pmu::HasCounters() ? kHardwareRuns : 1;
}

// If none of the requested engines can run here, nothing was measured.
Result<void> RequireSomeCounts(const count::CountReport& report,
                               std::span<const engine::Engine> engines) {
  if (engines.empty() || report.native) return {};
  const host::EngineFiles files = host::FindEngineFiles();
  std::string reasons;
  for (const engine::Engine one : engines) {
    const auto& row = engine::Row(one);
    if (row.can_run == nullptr) return {};
    const auto can = row.can_run(files);
    if (can) return {};
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", Name(one), can.error().message);
  }
  return Fail(ErrorKind::kUnsupported, fmt::format("no engine can run: {}", reasons));
}

// Whether the ledger has no difference at all.
bool HasZeroLedger(const report::Document& document) {
  const report::Table* const ledger = report::FindTable(document, "ledger");
  if (ledger == nullptr) return false;
  const auto column = static_cast<std::size_t>(
      std::ranges::find(ledger->columns, "difference", &report::Column::name) -
      ledger->columns.begin());
  return std::ranges::all_of(ledger->rows, [column](const std::vector<report::Cell>& row) {
    const auto* const difference = std::get_if<Measured>(&row[column]);
    return difference != nullptr && difference->value && difference->Value() == 0;
  });
}

// The models count events of blocks, not of lines or opcodes.
Result<void> CheckSorting(const CountOptions& options) {
  if (options.sort.empty() || options.per == "function" || options.per == "block") return {};
  if (options.per.empty() && options.annotate.empty()) {
    return Fail(ErrorKind::kUsage,
                "--sort: there is no list to sort; add --per function or --per block");
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("--sort: {} has no events of the models, only instructions; use --per "
                          "function or --per block",
                          options.per.empty() ? "--annotate" : "--per " + options.per));
}

// Adds the tables of --per line and --annotate.
Result<void> AddLines(const CountOptions& options, const count::CountReport& report,
                      count::Images& images, std::size_t max_rows, bool brief, bool verbose,
                      report::Document& document) {
  if (!report.reference || (options.per != "line" && options.annotate.empty())) return {};
  const count::Tally& tally = DetailedTally(report);
  const count::LineCounts lines = count::CountLines(tally, images);
  if (options.per == "line") {
    document.blocks.emplace_back(LineTable(tally, lines, max_rows, brief));
  }
  if (options.annotate.empty()) return {};
  // What fits on two screens with the counts.
  constexpr std::size_t kBriefRows = 26;
  TRY(auto source,
      SourceTable(tally, lines, options.annotate, brief, brief && !verbose ? kBriefRows : 0));
  document.blocks.emplace_back(std::move(source));
  return {};
}

Result<Outcome> RunCount(const CountOptions& options, Session& session) {
  if (options.list_events) return ListEvents(session);
  if (options.compare || options.explain) {
    return ReadCountFiles(options, options.metrics, session);
  }
  TRY_VOID(RefuseCountFiles(options, session));
  TRY(const auto selection, ChooseEngines(options.engines));
  TRY_VOID(ChooseMetrics(options.metrics, false));
  count::CountRequest request;
  TRY(request.more_events, SelectEvents(options.events));
  TRY(request.runs, Runs(options.runs));
  TRY(request.native_runs, NativeRuns(options.runs, selection));
  TRY(const double confidence, Confidence(options.confidence));
  const bool one_run = selection.engines.empty() && request.native_runs == 1;
  const auto use = one_run ? InputUse::kOneRun : InputUse::kSeveralRuns;
  CountOptions how = options;
  how.decodes_nothing = selection.engines.empty() && options.region.empty();
  TRY(const auto ready, Prepare(how, session, use));
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
  request.engines = selection.engines;
  TRY(const auto models, ChooseModels(options, selection.engines));
  TRY_VOID(CheckSorting(options));
  request.processor = models.processor;
  request.compiled_streams = models.compiled_streams;
  request.events = selection.events || options.rates || !request.more_events.empty();
  request.multiplexing = options.multiplex;
  request.pass_output = true;
  request.interrupted = session.interrupted;

  count::Images images;
  TRY(const auto report,
      count::CountProgram(request, host::FindEngineFiles(), images, session.progress));
  TRY_VOID(RequireSomeCounts(report, selection.engines));
  std::vector<MachineCount> machines;
  if (!models.others.processors.empty()) {
    TRY(machines, CountMachines(request, models, report, images, session.progress));
  }
  const auto make = [&](bool all) -> Result<report::Document> {
    TRY(const auto metrics, ChooseMetrics(options.metrics, all));
    report::Document document;
    document.title = fmt::format("Counts of {}", run::ShownName(request.program));
    document.blocks.emplace_back(CountsTable(report, metrics, confidence));
    if (report.engines.size() > 1) {
      document.blocks.emplace_back(LedgerTable(report, request.convention));
    }
    if (request.runs > 1 && (all || session.verbose) && report.reference) {
      document.blocks.emplace_back(SpreadTable(report, metrics));
    }
    if (report.native) {
      document.blocks.emplace_back(EventsTable(report, request.convention, confidence));
    }
    for (const count::EngineCounts* modelled : ModelledCounts(report)) {
      CHECK(models.processor.has_value());
      document.blocks.emplace_back(VirtualTable(*modelled, *models.processor, all));
    }
    const auto max_rows =
        static_cast<std::size_t>(std::max<std::int64_t>(0, options.top.value_or(20)));
    if (auto details = DetailTable(options.per, report, models, max_rows, !all)) {
      // A number of rows that was asked for is shown.
      details->whole = options.top.has_value();
      document.blocks.emplace_back(*std::move(details));
    }
    if (!machines.empty()) AddMachineCounts(machines, models, all, document);
    TRY_VOID(AddLines(options, report, images, max_rows, !all, session.verbose, document));
    std::string summary = CountSummary(report, request.region, request.convention);
    if (models.processor) summary += VirtualSummary(*models.processor);
    document.blocks.emplace_back(report::Text{"summary", std::move(summary)});
    if (report::Table cycles = CyclesTable(report, models.processor, confidence);
        HasCycles(cycles) || all) {
      document.blocks.emplace_back(std::move(cycles));
    }
    if (options.rates)
      document.blocks.emplace_back(RatesTable(report, StatedMhz(host::SystemFiles{}), confidence));
    if (all) {
      document.blocks.emplace_back(CountDots(report, metrics, models.processor));
      document.blocks.emplace_back(CountSamplesTable(report, metrics, models.processor));
    }
    AddCaveats(document, AllCaveats(report));
    StateDroppedControl(document);
    AddSettings(document, report.setting);
    return document;
  };
  TRY(Outcome outcome, MakeOutcome(session, make));
  outcome.beside_program = true;
  outcome.exit_status = report.ended.ShellStatus();
  if (!options.per.empty() || !options.annotate.empty()) outcome.details = {"ledger", "events"};
  outcome.keep_blocks = !options.annotate.empty();
  outcome.not_in_text = {"counts_plot", "samples"};
  if (!machines.empty()) outcome.details = {"ledger", "events", "virtual", "cycles"};
  // The answer says that the engines agree, and what was counted natively.
  if (HasZeroLedger(outcome.document)) outcome.details.emplace_back("ledger");
  if (request.engines.empty()) outcome.details.emplace_back("counts");
  outcome.sources = {"hardware", "kernel"};
  for (const engine::Engine one : request.engines) outcome.sources.emplace_back(Name(one));
  if (report.reference) {
    for (const char* id : {"functions", "blocks", "opcodes", "lines", "source"})
      outcome.sources_of_block[id] = {std::string(Name(report.engines[*report.reference].engine))};
  }
  return outcome;
}

}  // namespace

Command CountCommand() {
  CommandText text{
      "count", "count the instructions of a program with several independent engines",
      "Runs the program under engines that see every instruction (Valgrind, QEMU, single-stepping) "
      "and natively with the events of kernel and processor, 7 times if there are hardware "
      "counters. States for every number whether "
      "it is exact and repeatable. If engines differ, a ledger breaks the difference down by "
      "cause.\n\n"
      "The program's output of the first run is passed on, and the report goes to standard error, "
      "as with perf and time. With --json, --csv or --markdown the report goes to standard "
      "output, and the program's output is discarded. The exit status is that of the program.\n\n"
      "--compare and --explain run no program; they read files of saved counts.",
      kCountExamples, true};
  text.operands = {"[FILE...]", 0, 10000};
  text.may_lack_program = true;
  static constexpr auto kForms = std::to_array<std::string_view>(
      {"-- PROGRAM [ARGUMENT...]", "--compare FILE...", "--explain FILE..."});
  text.forms = kForms;
  return MakeCommand<CountOptions>(text, kCountFlags, RunCount);
}

}  // namespace tare::cli
