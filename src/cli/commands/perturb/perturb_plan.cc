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
#include "cli/result_files.h"

namespace tare::cli {
namespace {

struct PlanOptions : TrialOptions {
  std::optional<std::int64_t> budget;
};

const std::vector<Flag<PlanOptions>> kPerturbPlanFlags = WithTrialFlags<PlanOptions>({
    {{"-o,--output", "DIRECTORY",
      "store the baseline and the groups' traces there, for tare perturb merge"},
     &PlanOptions::output},
    {{"--budget", "N", "runs in addition to the baseline's, 1 to 10000 (default: 60)"},
     &PlanOptions::budget},
});

constexpr std::array kPerturbPlanExamples = {
    Example{"tare perturb plan --build 'make clean all CC=tare-cc' --metrics metrics.toml --vary "
            "-o groups -- ./program input",
            "find groups of metrics that one run can count together"},
    Example{"tare perturb plan --build ./build.sh --metrics metrics.toml --baseline plain.baseline "
            "--budget 20 -- ./program input",
            "use an existing baseline and at most twenty runs"},
};

Result<void> MakeDirectory(const std::string& directory) {
  if (directory.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return std::unexpected(SystemError("create the directory", directory, error.value()));
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

Result<Outcome> RunPerturbPlan(const PlanOptions& options, Session& session) {
  TRY(const auto given, InRange<std::int64_t>(options.budget, 60, 1, 10'000, "--budget"));
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
      {"perturb plan",
       "find groups of software metrics that one run can count without perturbing it",
       "Finds groups of software metrics such that a run that counts one group has neither inner "
       "nor outer perturbation. It tests all metrics together first, then halves of the sets that "
       "fail, and then combines sets that passed. A set fails only if two runs with different "
       "memory layouts raise an alarm. No set is tested twice. Metrics that fit into no group are "
       "listed with the reason.\n\n"
       "The build works as for tare perturb sweep. The groups' traces are input for tare perturb "
       "merge.",
       kPerturbPlanExamples, true},
      kPerturbPlanFlags, RunPerturbPlan);
}

}  // namespace tare::cli
