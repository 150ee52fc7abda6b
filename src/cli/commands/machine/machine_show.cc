// machine_show.cc: `tare machine show`: shows a machine profile in plots and numbers.
#include <array>

#include "cli/commands.h"
#include "cli/commands/machine/machine_report.h"
#include "cli/machine_profiles.h"

namespace tare::cli {
namespace {

const auto kMachineShowFlags = std::to_array<Flag<ProfileView>>({
    {{"--curves", "CURVE...",
      "also show these curves: all, or those with these words, such as random or 'store stride 1'"},
     &ProfileView::curves},
    {{"--hits", "", "also show the hit rate of each cache"}, &ProfileView::hits},
});

constexpr std::array kMachineShowExamples = {
    Example{"tare machine show", "the last measurement of this machine"},
    Example{"tare machine show skylake-server", "a shipped profile, by name"},
    Example{"tare machine show --curves 'load random' --hits", "random loads, with hit rates"},
    Example{"tare machine show my.json --csv curves", "every point of a profile's curves"},
};

Result<Outcome> RunMachineShow(const ProfileView& view, Session& session) {
  TRY(const auto profile, ProfileOf(session.operands.empty() ? "" : session.operands.front()));
  const auto make = [&](bool all) { return ProfileDocument(profile, view, all); };
  TRY(Outcome outcome, MakeOutcome(session, make));
  outcome.details = ProfileDetails();
  outcome.keep_blocks = !view.curves.empty() || view.hits;
  return outcome;
}

}  // namespace

Command MachineShowCommand() {
  return MakeCommand<ProfileView>(
      {"machine show",
       "show a profile as plots and tables",
       "Plots the bandwidth of loads and stores by size of the working set, with the capacities of "
       "the caches marked; then shows levels, rates, discovered values beside those that the "
       "system reports, and the conditions of the measurement.\n\n"
       "PROFILE is a name that tare machine list shows, or a file (default: this machine). "
       "Numbers that were not measured are marked as doubtful, with their origin. Curves that a "
       "published profile lacks are computed from its levels and marked as projected.",
       kMachineShowExamples,
       false,
       {"[PROFILE]", 0, 1}},
      kMachineShowFlags, RunMachineShow);
}

}  // namespace tare::cli
