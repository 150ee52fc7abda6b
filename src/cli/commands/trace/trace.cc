// trace.cc: `tare trace`: hardware, kernel and software metrics of a program over time.
#include <fmt/format.h>

#include <array>

#include "base/printable.h"
#include "base/private_directory.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/trace/trace_options.h"
#include "cli/commands/trace/trace_tables.h"
#include "cli/program_options.h"
#include "cli/result_files.h"
#include "format/series_csv.h"
#include "measure/sample/trace_program.h"

namespace tare::cli {
namespace {

constexpr auto kSamplers = std::to_array<std::string_view>({"observer", "signal", "instructions"});

const std::vector<Flag<TraceOptions>> kTraceFlags = WithProgramFlags<TraceOptions>({
    {{"--sampler", "WHICH",
      "observer: read from outside, without stopping the program; signal: by a timer inside a "
      "program built by tare-cc; instructions: under the virtual PMU, without a clock (default: "
      "observer)",
      kSamplers},
     &TraceOptions::sampler},
    {{"--interval", "TIME", "time between records (default: adjusted during the run)"},
     &TraceOptions::interval},
    {{"--every", "N",
      "with --sampler instructions: instructions between records (default: adjusted during the "
      "run)"},
     &TraceOptions::every},
    {{"--machine", "NAME",
      "with --sampler instructions: processor to model, a name or a file (default: similar to "
      "this machine)"},
     &TraceOptions::machine},
    {{"--records", "N", "approximate number of records, up to twice as many (default: 3000)"},
     &TraceOptions::records},
    {{"--metric", "NAME...", "only these metrics; * and ? are wildcards"}, &TraceOptions::metrics},
    {{"--event", "LIST",
      "also trace these events, by the names that tare count --event takes; not for --sampler "
      "instructions"},
     &TraceOptions::events},
    {{"--children", "", "also trace descendants of the program"}, &TraceOptions::children},
    {{"-o,--output", "FILE", "store the series in FILE"}, &TraceOptions::output},
    {{"--records-csv", "FILE", "also write all records to FILE as comma-separated values"},
     &TraceOptions::records_csv},
    {{"--differences", "",
      "with --records-csv: write differences between records instead of totals"},
     &TraceOptions::differences},
    {{"--show", "FILE", "show a stored series; runs no program"}, &TraceOptions::show},
});

constexpr std::array kTraceExamples = {
    Example{"tare trace -- gzip -c file", "kernel metrics of a program over time"},
    Example{"tare trace -o run.series -- ./program",
            "stored in a file, with software metrics if built by make CC=tare-cc"},
    Example{"tare trace --show run.series --metric 'cpu-*' --metric threads",
            "show some metrics of a stored series"},
    Example{"tare trace --interval 10ms --records-csv run.csv -- ./program",
            "records as CSV for other tools"},
    Example{"tare trace --sampler signal -- ./program",
            "sampled from inside, as an independent check"},
    Example{"tare trace --sampler instructions --machine zen2 -- ./program",
            "caches and branches of a modelled processor; the same file every time"},
};

Result<void> CheckRecordsCsv(const TraceOptions& options) {
  if (options.differences && options.records_csv.empty()) {
    return Fail(ErrorKind::kUsage, "--differences requires --records-csv FILE");
  }
  return CheckDirectory(options.records_csv);
}

Result<void> CheckFiles(const TraceOptions& options) {
  if (!options.output.empty() && options.output == options.records_csv) {
    return Fail(ErrorKind::kUsage, "--output and --records-csv name the same file");
  }
  TRY_VOID(CheckDirectory(options.output));
  return CheckRecordsCsv(options);
}

Result<void> Export(const TraceOptions& options, const std::filesystem::path& series) {
  if (options.records_csv.empty()) return {};
  format::SeriesCsvOptions how;
  how.differences = options.differences;
  const sample::MetricSelection selection(options.metrics);
  how.wants = [&selection](const std::string& name) { return selection.Wants(name); };
  TRY_VOID(format::WriteSeriesCsvFile(series, how, options.records_csv));
  return {};
}

Result<void> Show(const TraceOptions& options, const std::filesystem::path& series,
                  const Session& session, bool all, report::Document& document,
                  const std::vector<pmu::ProgramEvent>& events = {}) {
  TraceView view{.selection = sample::MetricSelection(options.metrics),
                 .requested = options.metrics,
                 .all = all};
  for (const pmu::ProgramEvent& event : events) view.requested.push_back(event.name);
  // Pages show more than text and JSON.
  if (session.machine_readable && !session.discards_output) view.max_points = kPagePoints;
  return ShowTrace(series, view, document);
}

Result<Outcome> ShowFile(const TraceOptions& options, const Session& session) {
  if (!session.program.empty()) {
    return Fail(ErrorKind::kUsage, "--show runs no program; remove the program after --");
  }
  if (!options.output.empty()) {
    return Fail(ErrorKind::kUsage, "--show writes no series; remove --output");
  }
  TRY_VOID(CheckRecordsCsv(options));
  TRY_VOID(Export(options, options.show));
  const auto make = [&](bool all) -> Result<report::Document> {
    report::Document document;
    document.title = fmt::format("Vertical trace {}", Printable(options.show));
    TRY_VOID(Show(options, options.show, session, all, document));
    return document;
  };
  TRY(Outcome outcome, MakeOutcome(session, make));
  outcome.details = {"absent", "sampling"};
  outcome.keep_blocks = !options.metrics.empty();
  return outcome;
}

Result<Outcome> RunTrace(const TraceOptions& options, Session& session) {
  if (!options.show.empty()) return ShowFile(options, session);
  if (session.program.empty()) return ProgramMissing("trace");
  sample::TraceRequest request;
  TRY_VOID(ChooseSampler(options, request));
  TRY_VOID(CheckFiles(options));
  TraceOptions how = options;
  how.decodes_nothing = request.sampler != sample::Sampler::kInstructions;
  TRY(const auto ready, Prepare(how, session, InputUse::kOneRun));
  TRY(const auto directory, PrivateDirectory::MakeOnDisk());
  request.program = ready.program;
  request.setting = ready.setting;
  request.engine_seconds = ready.engine_seconds;
  request.children = options.children;
  request.selection = sample::MetricSelection(options.metrics);
  request.file = directory.path() / "series";
  if (!options.output.empty()) request.file = options.output;
  request.interrupted = session.interrupted;
  request.check_head = [&session](const format::SeriesHead& head) {
    return CheckPlot(session.only_block, head);
  };
  TRY(const auto run, sample::TraceProgram(request));
  TRY_VOID(Export(options, request.file));
  const auto make = [&](bool all) -> Result<report::Document> {
    report::Document document;
    document.title = fmt::format("Vertical trace of {}", run::ShownName(request.program));
    TRY_VOID(Show(options, request.file, session, all, document, request.events));
    AddCaveats(document, run.finished.caveats);
    AddCaveats(document, run.caveats);
    RefuseNumbers(document, run.caveats);
    // The file itself states what is missing and why.
    if (run.file_error) {
      AddCaveats(document, std::array{Caveat{CaveatId::kRecordsLost, run.file_error->message}});
    }
    AddSettings(document, request.setting);
    return document;
  };
  TRY(Outcome outcome, MakeOutcome(session, make));
  outcome.beside_program = true;
  outcome.exit_status = run.finished.ended.ShellStatus();
  outcome.details = {"absent", "sampling"};
  outcome.keep_blocks = !options.metrics.empty();
  if (run.file_error) outcome.exit_status = ExitStatus(run.file_error->kind);
  outcome.sources = SourcesOf(request);
  return outcome;
}

}  // namespace

Command TraceCommand() {
  CommandText text{
      "trace", "trace hardware, kernel and software metrics of a program over time",
      "Runs the program once and records all its metrics at regular intervals: hardware events if "
      "the machine has counters, kernel metrics, and software metrics if the program was built by "
      "tare-cc or tare-c++. Draws each metric as a line, shows totals and rates, lists the metrics "
      "that are not available with the reason, and states the cost of sampling.\n\n"
      "The program's output is passed on, and the report goes to standard error. With --json, "
      "--csv or --markdown the report goes to standard output, and the program's output is "
      "discarded. The exit status is that of the program, or 125 if records were lost because a "
      "file could not "
      "be written.",
      kTraceExamples, true};
  text.may_lack_program = true;
  static constexpr auto kForms =
      std::to_array<std::string_view>({"-- PROGRAM [ARGUMENT...]", "--show FILE"});
  text.forms = kForms;
  return MakeCommand<TraceOptions>(text, kTraceFlags, RunTrace);
}

}  // namespace tare::cli
