// machine_show.cc: `tare machine show`: shows a machine profile in plots and numbers.
#include <array>

#include "cli/commands.h"
#include "cli/commands/machine/machine_profiles.h"
#include "cli/commands/machine/machine_report.h"

namespace tare::cli {
namespace {

const auto kFlags = std::to_array<Flag<ProfileView>>({
    {{"--curves", "CURVE...",
      "also these curves: all, or those with the words given, such as random or 'store stride 1'"},
     &ProfileView::curves},
    {{"--hits", "", "also the share of accesses that each cache serves"}, &ProfileView::hits},
});

constexpr std::array kExamples = {
    Example{"tare machine show", "this machine, as it was measured last"},
    Example{"tare machine show skylake-server", "a machine that came with tare, by its name"},
    Example{"tare machine show --curves 'load random' --hits", "random loads, and where they hit"},
    Example{"tare machine show my.json --csv curves", "every point of a profile's curves"},
};

Result<Outcome> Run(const ProfileView& view, Session& session) {
  TRY(const auto profile, ProfileOf(session.operands.empty() ? "" : session.operands.front()));
  Outcome outcome;
  TRY(outcome.document, ProfileDocument(profile, view, session));
  return outcome;
}

}  // namespace

Command MachineShowCommand() {
  return MakeCommand<ProfileView>(
      {"machine show",
       "a profile in pictures and numbers",
       "Shows how fast loads and stores go on for each size of what they touch, with the places "
       "marked where the caches end; then levels, rates, what was found beside what the system "
       "reports, and the conditions of the measurement.\n\n"
       "PROFILE is a name (tare machine list shows them) or a file; without it, this machine's. "
       "Numbers that were not measured are marked as doubtful, with their origin. Curves that a "
       "published profile lacks are computed from its levels and marked as projected.",
       kExamples,
       false,
       {"[PROFILE]", 0, 1}},
      kFlags, Run);
}

}  // namespace tare::cli
