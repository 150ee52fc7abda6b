// profile_exact.cc: executions of every block instead of samples.
#include "cli/commands/profile/profile_exact.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "base/units.h"
#include "cli/cells.h"
#include "cli/commands/count/count_tables.h"

namespace tare::cli {
namespace {

void AddExactTables(const count::Tally& tally, const ProfileView& view,
                    report::Document& document) {
  const std::size_t top = view.all ? 0 : view.top;
  report::Table functions = FunctionTable(tally, view.all ? 0 : std::max<std::size_t>(top, 1));
  if (!functions.rows.empty()) {
    const auto* name = std::get_if<std::string>(&functions.rows.front()[1]);
    const auto* share = std::get_if<Measured>(&functions.rows.front()[3]);
    document.blocks.emplace_back(report::Text{
        "answer", fmt::format("{} executes {} % of all instructions. The counts are exact; "
                              "they say how often code runs, not how long it takes.",
                              *name, Rounded(share->Value(), 3))});
  }
  if (!view.all) functions.columns.resize(4);
  if (!view.all) {
    for (auto& row : functions.rows) row.resize(4);
  }
  if (view.part == profile::Part::kFunction || view.all)
    document.blocks.emplace_back(std::move(functions));
  if (view.part != profile::Part::kFunction || view.all)
    document.blocks.emplace_back(BlockTable(tally, top));
}

}  // namespace

// Counts with the first exact engine that runs here.
Result<count::CountReport> CountExactly(const ReadyProgram& ready, bool pass_output,
                                        const Session& session, count::Images& images) {
  count::CountRequest request;
  request.program = ready.program;
  request.setting = ready.setting;
  request.engine_seconds = ready.engine_seconds;
  request.children = true;
  const auto files = host::FindEngineFiles();
  const bool valgrind = engine::CanRun(engine::Engine::kValgrind, files).has_value();
  request.engines = {valgrind ? engine::Engine::kValgrind : engine::Engine::kQemu};
  request.runs = 1;
  request.events = false;
  request.pass_output = pass_output;
  request.interrupted = session.interrupted;
  TRY(auto report, count::CountProgram(request, files, images, session.progress));
  if (report.reference) return report;
  return Fail(
      ErrorKind::kUnsupported,
      fmt::format("cannot count: {}", report.engines.empty() ? std::string("no engine can run here")
                                                             : report.engines.front().absence));
}

Result<Outcome> ShowExactProfile(const ReadyProgram& ready, const Session& session,
                                 const ProfileView& view) {
  count::Images images;
  TRY(const auto report, CountExactly(ready, true, session, images));
  const count::Tally& tally = report.engines[*report.reference].tally;
  const auto make = [&](bool all) -> Result<report::Document> {
    report::Document document;
    document.title = fmt::format("Exact profile of {}", run::ShownName(ready.program));
    AddExactTables(tally, WithAll(view, all), document);
    AddCaveats(document, AllCaveats(report));
    AddSettings(document, report.setting);
    return document;
  };
  TRY(Outcome outcome, MakeOutcome(session, make));
  outcome.exit_status = report.ended.ShellStatus();
  outcome.beside_program = true;
  outcome.sources = {std::string(Name(report.engines[*report.reference].engine))};
  outcome.needed_events = {"instructions"};
  return outcome;
}

}  // namespace tare::cli
