// machine_edit.cc: `tare machine edit`: sets single numbers of a profile.
#include <array>

#include "cli/commands.h"
#include "cli/commands/machine/machine_report.h"
#include "cli/machine_profiles.h"
#include "machine/profile/profile_edit.h"

namespace tare::cli {
namespace {

struct EditOptions {
  std::vector<std::string> set;
  std::string output;
  std::string name;
};

const auto kMachineEditFlags = std::to_array<Flag<EditOptions>>({
    {{"--set", "FIELD=VALUE...", "set a field, such as L2.ways=8 or 'rate.fp64 fused vector=67e9'"},
     &EditOptions::set},
    {{"-o,--output", "FILE", "write the profile to FILE"}, &EditOptions::output},
    {{"--name", "NAME",
      "name of the new profile; without -o the profile is stored under that name"},
     &EditOptions::name},
});

constexpr std::array kMachineEditExamples = {
    Example{"tare machine edit neoverse-n1 --set L1.latency=1.2ns --name mine",
            "a published profile with one number replaced"},
    Example{"tare machine edit my.json --set conditions.room=lab -o my.json",
            "add a condition to a profile"},
};

Result<Outcome> RunMachineEdit(const EditOptions& options, Session& session) {
  if (options.set.empty()) {
    return Fail(ErrorKind::kUsage, "nothing to change; use --set FIELD=VALUE");
  }
  TRY(const auto profile, ProfileOf(session.operands.front()));
  std::vector<std::string> assignments = options.set;
  if (!options.name.empty()) assignments.push_back("name=" + options.name);
  TRY(const auto edited, machine_profile::Edit(profile, assignments));
  TRY(const std::string stored, StoreProfile(edited, options.output, options.name));
  const auto make = [&](bool all) -> Result<report::Document> {
    TRY(auto document, ProfileDocument(edited, {}, all));
    document.blocks.emplace_back(report::Text{"stored", stored});
    return document;
  };
  TRY(Outcome outcome, MakeOutcome(session, make));
  outcome.details = ProfileDetails();
  return outcome;
}

}  // namespace

Command MachineEditCommand() {
  return MakeCommand<EditOptions>(
      {"machine edit",
       "set individual fields of a profile",
       "Sets fields of a profile; the curves do not change. Fields that were set are marked as "
       "given by hand. Fields are name, machine, model, architecture, source, time, "
       "topology.packages, "
       "topology.cores, topology.threads, topology.numa_nodes, topology.memory, conditions.KEY, "
       "LEVEL.bytes, LEVEL.ways, LEVEL.line, LEVEL.latency, LEVEL.load, LEVEL.store, "
       "LEVEL.bandwidth, LEVEL.parallel, and rate.NAME. To change the curves as well, use "
       "tare machine project.",
       kMachineEditExamples,
       false,
       {"PROFILE", 1, 1}},
      kMachineEditFlags, RunMachineEdit);
}

}  // namespace tare::cli
