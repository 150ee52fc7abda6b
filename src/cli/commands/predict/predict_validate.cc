// predict_validate.cc: the prediction beside the measurement.
#include "cli/commands/predict/predict_validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "cli/application.h"
#include "cli/cells.h"
#include "cli/commands/predict/predict_tables.h"
#include "cli/machine_profiles.h"
#include "cli/provenance.h"
#include "machine/host/engine_files.h"
#include "machine/profile/profile_identity.h"
#include "predict/convolve/validation.h"

namespace tare::cli {
namespace {

constexpr std::int64_t kNativeRuns = 10;
// Time in the kernel, and waiting for a core, is not in a signature.
constexpr double kMuchOtherTime = 0.05;

report::Table ValidationTable(const convolve::Validation& validation) {
  report::Table table{"validation",
                      "Prediction and measurement on this machine",
                      {{"program", "", false, false, true},
                       {"machine", "", false, false, true},
                       {"predicted", "s"},
                       {"measured", "s"},
                       {"error", "%"},
                       {"elapsed", "s"},
                       {"slowdown"}},
                      {}};
  const auto& command = validation.signature.command;
  table.rows.push_back(
      {command.empty() ? std::string() : command.front(), validation.prediction.machine,
       validation.prediction.time, validation.measured, Unbounded(100 * validation.Error()),
       validation.elapsed, Unbounded(validation.engine_seconds / validation.elapsed.Value())});
  return table;
}

report::Bars ValidationDots(const convolve::Validation& validation) {
  report::Bars dots{"prediction_plot", "Prediction and measurement", "s", {"time"}, {}};
  dots.dots = true;
  dots.bars = {{"predicted", {validation.prediction.time}}, {"measured", {validation.measured}}};
  return dots;
}

std::string ValidationText(const convolve::Validation& validation) {
  const double error = 100 * validation.Error();
  return fmt::format(
      "The prediction is {:.1f} % {} the measured user time, which is {} its interval.",
      std::abs(error), error < 0 ? "below" : "above",
      validation.IsWithin() ? "within" : "outside of");
}

}  // namespace

Result<Outcome> RunValidate(const ValidateOptions& options, Session& session) {
  if (session.program.empty()) return ProgramMissing("predict --validate");
  if (!session.operands.empty()) {
    return Fail(ErrorKind::kUsage,
                "--validate signs the program itself and predicts for this machine; give no "
                "SIGNATURE and no MACHINE (--profile NAME chooses a profile of this machine)");
  }
  const std::int64_t runs = options.runs.value_or(kNativeRuns);
  if (runs < 1) return Fail(ErrorKind::kUsage, "--runs must be at least 1");
  convolve::ValidationRequest request;
  TRY(request.profile, ProfileOf(options.profile));
  const MachineNames here = ThisMachine();
  TRY_VOID(
      machine_profile::RequireThisMachine(request.profile, here.machine, request.profile.model));
  TRY(const auto ready, Prepare(options, session));
  request.program = ready.program;
  request.setting = ready.setting;
  request.engine_seconds = ready.engine_seconds;
  request.runs = static_cast<std::size_t>(runs);
  request.interrupted = session.interrupted;
  request.signed_run = {session.program, std::string(Version()), TimeNow(), here.machine};
  TRY(auto validation, convolve::Validate(request, host::FindEngineFiles(), session.progress));
  auto pmac = convolve::Pmac(validation.signature, request.profile);
  std::vector<MachinePrediction> machines;
  machines.push_back({request.profile, validation.rates, validation.prediction, std::move(pmac)});

  return MakeOutcome(session, [&](bool all) -> Result<Outcome> {
    Outcome outcome;
    outcome.beside_program = true;
    outcome.exit_status = validation.first.ended.ShellStatus();
    report::Document& document = outcome.document;
    document.title = fmt::format("Validation of {}", run::ShownName(request.program));
    document.blocks.emplace_back(report::Text{
        "answer", fmt::format("{} {}", AnswerText(validation.signature, validation.work, machines),
                              ValidationText(validation))});
    document.blocks.emplace_back(ValidationTable(validation));
    document.blocks.emplace_back(PredictionTable(machines, options.verbose || all));
    const auto top = static_cast<std::size_t>(std::max<std::int64_t>(options.top.value_or(10), 0));
    document.blocks.emplace_back(
        LoopTable(validation.work, machines.front(), top, all || options.verbose));
    document.blocks.emplace_back(BoundTable(machines.front()));
    document.blocks.emplace_back(BudgetTable(machines));
    if (all) document.blocks.emplace_back(ValidationDots(validation));
    AddCaveats(document, validation.caveats);
    const double elapsed = validation.elapsed.Value();
    const double other = elapsed - validation.measured.Value();
    if (other > kMuchOtherTime * elapsed) {
      AddCaveats(
          document,
          std::array{Caveat{CaveatId::kKernelTime,
                            fmt::format("{:.0f} % of the elapsed time", 100 * other / elapsed)}});
    }
    StateDroppedControl(document);
    AddSettings(document, validation.setting);
    AddInputs(validation.signature, machines, document);
    return outcome;
  });
}

}  // namespace tare::cli
