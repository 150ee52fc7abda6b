// perturb_plan.cc: `tare perturb plan`: finds metrics that can be counted together.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/printable.h"
#include "base/stop.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/perturb/perturb_options.h"
#include "cli/commands/perturb/perturb_plan_tables.h"

namespace tare::cli {
namespace {

struct PlanOptions : TrialOptions {
  std::optional<std::int64_t> budget;
};

const std::vector<Flag<PlanOptions>> kFlags = WithTrialFlags<PlanOptions>({
    {{"-o,--output", "DIRECTORY",
      "keep the baseline and the groups' traces there, for tare perturb merge"},
     &PlanOptions::output},
    {{"--budget", "N", "runs besides the baseline's, 1 to 10000 (60)"}, &PlanOptions::budget},
});

constexpr std::array kExamples = {
    Example{"tare perturb plan --build 'make clean all CC=tare-cc' --metrics metrics.toml --vary "
            "-o groups -- ./program input",
            "groups of metrics that one run each can count"},
    Example{"tare perturb plan --build ./build.sh --metrics metrics.toml --baseline plain.baseline "
            "--budget 20 -- ./program input",
            "with a baseline that is there, in twenty runs at most"},
};

Result<void> MakeDirectory(const std::string& directory) {
  if (directory.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return std::unexpected(SystemError("make the directory", directory, error.value()));
  return CheckDirectory((std::filesystem::path(directory) / "baseline").string());
}

Result<std::vector<PlannedGroup>> KeepGroups(const perturb::Plan& plan, perturb::Trials& trials,
                                             const std::string& directory) {
  std::vector<PlannedGroup> groups;
  for (std::size_t i = 0; i < plan.groups.size(); ++i) {
    TRY(const perturb::Trial* const trial, trials.Of(plan.groups[i]));
    groups.push_back({trial, ""});
    if (directory.empty()) continue;
    const auto file = std::filesystem::path(directory) / fmt::format("group-{}.series", i + 1);
    std::error_code error;
    std::filesystem::copy_file(trial->series, file,
                               std::filesystem::copy_options::overwrite_existing, error);
    if (error) return std::unexpected(SystemError("write", file, error.value()));
    groups.back().series = file.string();
  }
  return groups;
}

Result<Outcome> Run(const PlanOptions& options, Session& session) {
  TRY(const auto given, Between<std::int64_t>(options.budget, 60, 1, 10'000, "--budget"));
  const auto budget = static_cast<std::size_t>(given);
  TRY_VOID(MakeDirectory(options.output));
  TRY(auto ready, BeginTrials(options, session, "perturb plan"));
  perturb::Trials& trials = ready.trials;
  // Written before the search, so that a full disk is reported early.
  if (!options.output.empty()) {
    TRY_VOID(perturb::WriteBaseline(std::filesystem::path(options.output) / "baseline",
                                    trials.Stored()));
  }
  const auto test = [&](const perturb::MetricSet& set) -> Result<perturb::SetAnswer> {
    const double done = static_cast<double>(trials.Runs()) / static_cast<double>(budget);
    if (!session.progress(kBaselineShare + (1 - kBaselineShare) * std::min(1.0, done),
                          fmt::format("{} metrics together", set.size()))) {
      return Stopped();
    }
    TRY(const perturb::Trial* const trial, trials.Confirmed(set));
    return perturb::SetAnswer{trial->Against(), trial->Runs()};
  };
  TRY(const auto plan, perturb::FindGroups(ready.metrics, test, {.budget = budget}));
  TRY(const auto groups, KeepGroups(plan, trials, options.output));
  Outcome outcome;
  outcome.beside_program = true;
  outcome.exit_status = trials.ExitStatus();
  outcome.document.title =
      fmt::format("Groups of metrics for {}", Printable(session.program.front()));
  AddPlan(plan, groups, outcome.document);
  AddCaveats(outcome.document, trials.Caveats());
  AddSettings(outcome.document, ready.setting);
  return outcome;
}

}  // namespace

Command PerturbPlanCommand() {
  return MakeCommand<PlanOptions>(
      {"perturb plan", "which software metrics one run can count without changing what it shows",
       "Finds groups of software metrics such that a run that counts one group is like the "
       "baseline's, inside and outside: all together first, then halves of what fails, then what "
       "passed put together again. An alarm must come twice, in runs that are laid out otherwise. "
       "No set is tried twice; what could not be placed is named, with the reason.\n\n"
       "The build is that of tare perturb sweep. The groups' traces are for tare perturb merge.",
       kExamples, true},
      kFlags, Run);
}

}  // namespace tare::cli
