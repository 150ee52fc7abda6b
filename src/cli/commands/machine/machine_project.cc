// machine_project.cc: `tare machine project`: derives a hypothetical machine from an existing one.
#include <fmt/format.h>

#include <array>

#include "cli/commands.h"
#include "cli/commands/machine/machine_report.h"
#include "cli/machine_profiles.h"
#include "machine/profile/projection.h"

namespace tare::cli {
namespace {

struct ProjectOptions {
  std::vector<std::string> change;
  std::vector<std::string> add;
  std::string output;
  std::string name;
};

const auto kMachineProjectFlags = std::to_array<Flag<ProjectOptions>>({
    {{"--change", "CHANGE...",
      "change to apply: L2.bytes=2MiB, memory.bandwidth=x2, memory.latency=60ns, clock=x1.2, "
      "'remove L3'"},
     &ProjectOptions::change},
    {{"--add", "LEVEL...", "cache to add: 'L3 bytes=32MiB ways=16 latency=20ns bandwidth=30GB/s'"},
     &ProjectOptions::add},
    {{"-o,--output", "FILE", "write the profile to FILE"}, &ProjectOptions::output},
    {{"--name", "NAME",
      "name of the new profile; without -o the profile is stored under that name"},
     &ProjectOptions::name},
});

constexpr std::array kMachineProjectExamples = {
    Example{"tare machine project textbook-two-level --change memory.bandwidth=x2",
            "the curves with twice the memory bandwidth"},
    Example{"tare machine project textbook-two-level --add 'L3 bytes=32MiB ways=16 latency=40ns "
            "bandwidth=2GB/s' --name three-levels",
            "add a third cache, and store the profile under a name"},
};

report::Table ModelTable(const machine_profile::Projection& projection) {
  report::Table table{
      "model",
      "How well the levels explain the rebuilt curves",
      {{"curve"}, {"median_error", "%"}, {"usual_error", "%"}, {"worst_error", "%"}},
      {}};
  const auto percent = [](double share) { return Number{share * 100}; };
  for (const machine_profile::CurveModel& model : projection.before) {
    table.rows.push_back({CurveName(model.key), percent(model.median_error),
                          percent(model.usual_error), percent(model.worst_error)});
  }
  return table;
}

Result<machine_profile::Projection> ProjectionOf(const ProjectOptions& options,
                                                 const machine_profile::Profile& profile) {
  std::vector<machine_profile::Change> changes;
  for (const std::string& text : options.add) {
    TRY(auto change, machine_profile::ParseChange("add " + text));
    changes.push_back(std::move(change));
  }
  for (const std::string& text : options.change) {
    TRY(auto change, machine_profile::ParseChange(text));
    changes.push_back(std::move(change));
  }
  const std::string name =
      options.name.empty() ? fmt::format("{}-projected", profile.name) : options.name;
  return machine_profile::Project(profile, changes, name);
}

Result<Outcome> RunMachineProject(const ProjectOptions& options, Session& session) {
  if (options.change.empty() && options.add.empty()) {
    return Fail(ErrorKind::kUsage, "nothing to change; use --change CHANGE or --add LEVEL");
  }
  TRY(const auto profile, ProfileOf(session.operands.front()));
  TRY(const auto projection, ProjectionOf(options, profile));
  std::string not_rebuilt;
  for (const std::string& line : projection.kept)
    not_rebuilt += fmt::format("Not rebuilt: {}.\n", line);
  TRY(const std::string stored, StoreProfile(projection.profile, options.output, options.name));
  const auto make = [&](bool all) -> Result<report::Document> {
    TRY(auto document, ProfileDocument(projection.profile, {}, all));
    if (all) document.blocks.emplace_back(ModelTable(projection));
    if (!not_rebuilt.empty())
      document.blocks.emplace_back(report::Text{"not_rebuilt", not_rebuilt});
    document.blocks.emplace_back(report::Text{"stored", stored});
    return document;
  };
  TRY(Outcome outcome, MakeOutcome(session, make));
  outcome.details = ProfileDetails();
  return outcome;
}

}  // namespace

Command MachineProjectCommand() {
  return MakeCommand<ProjectOptions>(
      {"machine project",
       "project a hypothetical machine from a real one",
       "Changes levels of a profile and rebuilds its curves from the time that an access takes at "
       "each level. Levels are added before changes are applied. Every computed number is marked "
       "as projected, with an interval that states how well the levels explain the curves of the "
       "original machine.\n\n"
       "Nothing is stored without -o or --name.",
       kMachineProjectExamples,
       false,
       {"PROFILE", 1, 1}},
      kMachineProjectFlags, RunMachineProject);
}

}  // namespace tare::cli
