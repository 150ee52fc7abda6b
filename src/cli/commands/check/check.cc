// check.cc: `tare check`: measures one program in several ways and gives a verdict for every
// number.
#include "analysis/check/program_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/printable.h"
#include "base/units.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/check/check_tables.h"
#include "cli/commands/count/count_tables.h"
#include "cli/program_options.h"

namespace tare::cli {
namespace {

struct CheckOptions : ProgramOptions {
  std::optional<WrittenDuration> budget;
  std::string region;
  std::optional<double> confidence;
};

const std::vector<Flag<CheckOptions>> kCheckFlags = WithProgramFlags<CheckOptions>({
    {{"--budget", "TIME",
      "total time for measuring (default: 20 times the program's run time, at least 3s)"},
     &CheckOptions::budget},
    {{"--region", "FUNCTION", "count inside this function only, callees included"},
     &CheckOptions::region},
    {{"--confidence", "P", "confidence level of the intervals (default: 0.95)"},
     &CheckOptions::confidence},
});

constexpr std::array kCheckExamples = {
    Example{"tare check -- sort words",
            "which numbers of this program can be trusted on this machine"},
    Example{"tare check --budget 1min -- ./solver input", "use more runs"},
    Example{"tare check --region main --core 1 -- gzip -c file",
            "exclude the dynamic loader from the counts, and use one core"},
};

// A second "--" is an argument of the program; a program after it was probably meant to be
// compared.
void SayThatCompareIsMeant(const Session& session) {
  const auto& words = session.program;
  const auto dashes = std::ranges::find(words, "--");
  if (dashes == words.end() || dashes == words.begin() || dashes + 1 == words.end()) return;
  if (!run::Resolve({{*(dashes + 1)}})) return;
  session.notice(fmt::format(
      "'-- {}' is passed to {} as arguments; to compare two programs, use: tare compare '{}' '{}'",
      Printable(*(dashes + 1)), Printable(words.front()), Printable(words.front()),
      Printable(*(dashes + 1))));
}

Result<Outcome> RunCheck(const CheckOptions& options, Session& session) {
  TRY(const double confidence, Confidence(options.confidence));
  SayThatCompareIsMeant(session);
  TRY(const auto ready, Prepare(options, session));
  check::CheckRequest request;
  request.program = ready.program;
  request.setting = ready.setting;
  request.engine_seconds = ready.engine_seconds;
  request.confidence = confidence;
  if (options.budget) request.budget_seconds = options.budget->seconds;
  if (!options.region.empty()) {
    TRY(request.region, engine::FindRegion(ready.program, options.region));
  }
  request.interrupted = session.interrupted;
  count::Images images;
  TRY(const auto report,
      check::CheckProgram(request, host::FindEngineFiles(), images, session.progress));

  return MakeOutcome(session, [&](bool all) -> Result<Outcome> {
    Outcome outcome;
    outcome.beside_program = true;
    outcome.exit_status = report.first.ended.ShellStatus();
    report::Document& document = outcome.document;
    document.title = fmt::format("Check of {}", run::ShownName(request.program));
    document.blocks.emplace_back(VerdictTable(report, confidence));
    // The column that explains the rows needs more than 80 columns.
    if (!all) {
      document.blocks.emplace_back(report::Text{
          "words",
          "against itself: one half of the runs over the other; smallest difference: what "
          "another version must differ by to be noticed; second engine: its count minus the "
          "first one's."});
    }
    if (all && report.timed.size() > 1) document.blocks.emplace_back(RunTimesPlot(report));
    if (report.counts && report.counts->engines.size() > 1) {
      document.blocks.emplace_back(LedgerTable(*report.counts, count::RepConvention::kOnce));
    }
    if (!report.advice.empty()) document.blocks.emplace_back(AdviceTable(report));
    document.blocks.emplace_back(EnginesTable());
    document.blocks.emplace_back(report::Text{
        "spent", fmt::format("Took {:.1f} s of a budget of {:.1f} s; one run of the program takes "
                             "{} s.",
                             report.spent_seconds, report.budget_seconds,
                             Rounded(report.first.wall_seconds, 3))});
    document.blocks.emplace_back(
        report::Text{"answer", CheckAnswer(report, run::ShownName(request.program))});
    if (all || session.verbose) {
      document.blocks.emplace_back(RunTimesTable(report));
    }
    outcome.details = {"ledger", "engines", "spent"};
    if (report.counts) {
      for (const auto& counted : report.counts->engines)
        outcome.sources.emplace_back(Name(counted.engine));
    }
    outcome.not_in_text = {"samples", "run_times"};
    AddCaveats(document, report.time_caveats);
    if (report.counts) AddCaveats(document, AllCaveats(*report.counts));
    StateDroppedControl(document);
    AddSettings(document, report.setting);
    return outcome;
  });
}

}  // namespace

Command CheckCommand() {
  return MakeCommand<CheckOptions>(
      {"check", "measure a program in several ways and state which numbers can be trusted",
       "Times the program against itself, counts it twice with the cheapest exact engine to see "
       "whether the counts repeat, confirms them with a second, independent engine, and compares "
       "the clock's cost and resolution with the run time. Every number gets a verdict. Advice "
       "follows, the most useful first.\n\n"
       "The program's output of the first run is passed on, and the report goes to standard "
       "error. With --json, --csv or --markdown the report goes to standard output, and the "
       "program's output is discarded. The exit status is that of the program.",
       kCheckExamples, true},
      kCheckFlags, RunCheck);
}

}  // namespace tare::cli
