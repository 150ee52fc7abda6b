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
#include "format/series_csv.h"
#include "measure/sample/trace_program.h"

namespace tare::cli {
namespace {

constexpr auto kSamplers = std::to_array<std::string_view>({"observer", "signal", "instructions"});

const std::vector<Flag<TraceOptions>> kFlags = WithProgramFlags<TraceOptions>({
    {{"--sampler", "WHICH",
      "observer: reads from outside and never stops the program; signal: a timer inside a program "
      "that tare-cc has built; instructions: under the virtual PMU, without any clock (observer)",
      kSamplers},
     &TraceOptions::sampler},
    {{"--interval", "TIME", "from record to record; found on the way when not given"},
     &TraceOptions::interval},
    {{"--every", "N",
      "with --sampler instructions: so many from record to record; found on the way when not "
      "given"},
     &TraceOptions::every},
    {{"--machine", "NAME",
      "with --sampler instructions: the processor that is modelled, a name or a file (the one most "
      "like this machine)"},
     &TraceOptions::machine},
    {{"--records", "N", "about so many records, up to twice as many (3000)"},
     &TraceOptions::records},
    {{"--metric", "NAME...", "these metrics only; * and ? stand for anything"},
     &TraceOptions::metrics},
    {{"--children", "", "processes that descend from the program too"}, &TraceOptions::children},
    {{"-o,--output", "FILE", "keep the series in FILE"}, &TraceOptions::output},
    {{"--csv", "FILE", "also write all records to FILE as comma-separated values"},
     &TraceOptions::csv},
    {{"--differences", "", "in that file, what happened between records instead of totals"},
     &TraceOptions::differences},
    {{"--show", "FILE", "show a series that was kept; no program is run"}, &TraceOptions::show},
});

constexpr std::array kExamples = {
    Example{"tare trace -- gzip -c file", "what the kernel tells of it, over time"},
    Example{"tare trace -o run.series -- ./program",
            "kept in a file; with metrics of its own when it was built by make CC=tare-cc"},
    Example{"tare trace --show run.series --metric 'cpu-*' --metric threads",
            "look at some of them again"},
    Example{"tare trace --interval 10ms --csv run.csv -- ./program", "records for other tools"},
    Example{"tare trace --sampler signal -- ./program", "sampled from inside, as a second opinion"},
    Example{"tare trace --sampler instructions --machine zen2 -- ./program",
            "caches and branches of a modelled processor; the same file every time"},
};

Result<void> CheckFiles(const TraceOptions& options) {
  if (!options.output.empty() && options.output == options.csv) {
    return Fail(ErrorKind::kUsage, "--output and --csv name the same file");
  }
  TRY_VOID(CheckDirectory(options.output));
  return CheckDirectory(options.csv);
}

Result<void> ExportAndShow(const TraceOptions& options, const std::filesystem::path& series,
                           const Session& session, report::Document& document) {
  if (!options.csv.empty()) {
    format::SeriesCsvOptions how;
    how.differences = options.differences;
    TRY_VOID(format::WriteSeriesCsvFile(series, how, options.csv));
  }
  return ShowTrace(
      series, {.choice = sample::MetricChoice(options.metrics), .all = session.machine_readable},
      document);
}

Result<Outcome> ShowFile(const TraceOptions& options, const Session& session) {
  if (!session.program.empty()) {
    return Fail(ErrorKind::kUsage, "--show runs no program: leave out what follows --");
  }
  if (!options.output.empty()) {
    return Fail(ErrorKind::kUsage, "--show makes no series: leave out --output");
  }
  TRY_VOID(CheckDirectory(options.csv));
  Outcome outcome;
  outcome.document.title = fmt::format("Vertical trace {}", Printable(options.show));
  TRY_VOID(ExportAndShow(options, options.show, session, outcome.document));
  return outcome;
}

Result<Outcome> RunTrace(const TraceOptions& options, Session& session) {
  if (!options.show.empty()) return ShowFile(options, session);
  if (session.program.empty()) return ProgramMissing("trace");
  sample::TraceRequest request;
  TRY_VOID(ChooseSampler(options, request));
  TRY_VOID(CheckFiles(options));
  TRY(const auto ready, Prepare(options, session, InputUse::kOneRun));
  TRY(const auto directory, PrivateDirectory::MakeOnDisk());
  request.program = ready.program;
  request.setting = ready.setting;
  request.engine_seconds = ready.engine_seconds;
  request.children = options.children;
  request.choice = sample::MetricChoice(options.metrics);
  request.file = directory.path() / "series";
  if (!options.output.empty()) request.file = options.output;
  request.interrupted = session.interrupted;
  TRY(const auto run, sample::TraceProgram(request));

  Outcome outcome;
  outcome.beside_program = true;
  outcome.exit_status = run.finished.ended.ShellStatus();
  report::Document& document = outcome.document;
  document.title =
      fmt::format("Vertical trace of {}", Printable(request.program.path.filename().string()));
  TRY_VOID(ExportAndShow(options, request.file, session, document));
  AddCaveats(document, run.finished.caveats);
  AddCaveats(document, run.caveats);
  RefuseNumbers(document, run.caveats);
  // The file itself states what is missing and why.
  if (run.file_error) outcome.exit_status = ExitStatus(run.file_error->kind);
  AddSettings(document, request.setting);
  return outcome;
}

}  // namespace

Command TraceCommand() {
  CommandText text{
      "trace", "hardware, kernel and software metrics of a program over time",
      "Runs the program once and takes a record of all its metrics at regular intervals: what the "
      "processor counts where it can, what the kernel tells, and what the program itself counts "
      "when it was built by tare-cc or tare-c++. Draws each metric as a line, gives totals and "
      "rates, says what could not be had and why, and what taking the records cost.\n\n"
      "The program's own output is passed on and the report goes to standard error; with --json or "
      "--markdown the report goes to standard output and the program's is dropped. The exit status "
      "is the program's, or 125 when records were lost to a file that could not be written.",
      kExamples, true};
  text.may_lack_program = true;
  return MakeCommand<TraceOptions>(text, kFlags, RunTrace);
}

}  // namespace tare::cli
