// sign_reference.cc: runs the program natively and compares how it ends and what it writes.
#include "cli/commands/sign/sign_reference.h"

#include <fmt/format.h>

#include "base/stop.h"

namespace tare::cli {
namespace {

Result<run::Finished> RunOnce(const engine::EnginePlan& plan, const run::Setting& setting) {
  run::Hooks hooks;
  hooks.interrupted = plan.interrupted;
  TRY(auto finished, run::RunProgram(plan.program, setting, hooks));
  if (finished.ended.interrupted) return Stopped();
  return finished;
}

}  // namespace

Result<SignReference> RunNatively(const engine::EnginePlan& plan) {
  SignReference reference;
  run::ReferencePlan runs;
  runs.setting = plan.setting;
  runs.run_plain = [&](const run::Setting& setting) -> Result<run::Finished> {
    TRY(auto finished, RunOnce(plan, setting));
    if (finished.output_digest) reference.outputs.push_back(*finished.output_digest);
    return finished;
  };
  runs.run_controlled = runs.run_plain;
  TRY(reference.native, run::FindReference(runs));
  return reference;
}

Result<std::vector<Caveat>> CompareWithNative(const SignReference& reference,
                                              const engine::EnginePlan& plan,
                                              const run::Finished& under_engine) {
  std::vector<Caveat> caveats = reference.native.caveats;
  const int status = under_engine.ended.ShellStatus();
  const int expected = reference.native.finished.ended.ShellStatus();
  if (status != expected) {
    caveats.push_back(
        {CaveatId::kExitStatusDiffers, fmt::format("status {} instead of {}", status, expected)});
  }
  if (!under_engine.output_digest || reference.outputs.empty()) return caveats;
  TRY(const auto difference,
      run::OutputDifference(*under_engine.output_digest, reference.outputs, [&] {
        return RunOnce(plan, run::SilentRepetition(reference.native.setting,
                                                   reference.native.finished.wall_seconds));
      }));
  if (difference) caveats.push_back({CaveatId::kOutputDiffers, *difference});
  return caveats;
}

}  // namespace tare::cli
