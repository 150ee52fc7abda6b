// check.cc: `tare check`: measures one program in several ways and gives a verdict for every
// number.
#include "analysis/check/program_check.h"

#include <fmt/format.h>

#include <array>

#include "base/printable.h"
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

const std::vector<Flag<CheckOptions>> kFlags = WithProgramFlags<CheckOptions>({
    {{"--budget", "TIME", "all measuring together (20 times the program's own time, 3s at least)"},
     &CheckOptions::budget},
    {{"--region", "FUNCTION", "count inside this function only, callees included"},
     &CheckOptions::region},
    {{"--confidence", "P", "confidence of the intervals (0.95)"}, &CheckOptions::confidence},
});

constexpr std::array kExamples = {
    Example{"tare check -- sort words", "which numbers of this program can be trusted here"},
    Example{"tare check --budget 1min -- ./solver input", "with more runs"},
    Example{"tare check --region main --core 1 -- gzip -c file",
            "counts without the loader's work, on one core"},
};

Result<Outcome> RunCheck(const CheckOptions& options, Session& session) {
  TRY(const double confidence, Confidence(options.confidence));
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

  Outcome outcome;
  outcome.beside_program = true;
  outcome.exit_status = report.first.ended.ShellStatus();
  report::Document& document = outcome.document;
  document.title = fmt::format("Check of {}", Printable(request.program.path.filename().string()));
  document.blocks.emplace_back(VerdictTable(report, confidence));
  if (report.counts && report.counts->engines.size() > 1) {
    document.blocks.emplace_back(LedgerTable(*report.counts));
  }
  if (!report.advice.empty()) document.blocks.emplace_back(AdviceTable(report));
  document.blocks.emplace_back(EnginesTable());
  document.blocks.emplace_back(report::Text{
      "spent",
      fmt::format("Took {:.1f} s of a budget of {:.1f} s; one run of the program takes "
                  "{:.3g} s.",
                  report.spent_seconds, report.budget_seconds, report.first.wall_seconds)});
  AddCaveats(document, report.time_caveats);
  if (report.counts) AddCaveats(document, AllCaveats(*report.counts));
  StateDroppedControl(document);
  AddSettings(document, report.setting);
  return outcome;
}

}  // namespace

Command CheckCommand() {
  return MakeCommand<CheckOptions>(
      {"check", "measures a program several ways and says which numbers can be trusted",
       "Times the program against itself, counts it by the cheapest exact engine and again to see "
       "whether it repeats, lets a second, independent engine confirm the counts, and sets the "
       "clock "
       "against the duration. Every number gets a verdict, and advice follows in the order of "
       "gain.\n\n"
       "The program's own output is passed on from its first run and the report goes to standard "
       "error; with --json, --csv or --markdown the report goes to standard output and the "
       "program's "
       "is dropped. The exit status is the program's.",
       kExamples, true},
      kFlags, RunCheck);
}

}  // namespace tare::cli
