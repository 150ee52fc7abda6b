// machine_list.cc: `tare machine list`: lists the available profiles.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/printable.h"
#include "cli/commands.h"
#include "cli/machine_profiles.h"
#include "model/core/processor_file.h"

namespace tare::cli {
namespace {

struct ListOptions {
  bool details = false;
};

const auto kMachineListFlags = std::to_array<Flag<ListOptions>>({
    {{"--long", "", "also list their sources and files"}, &ListOptions::details},
});

constexpr std::array kMachineListExamples = {
    Example{"tare machine list", "all profiles by name"},
    Example{"tare machine list --long", "also where their numbers come from"},
    Example{"tare machine list --csv profiles", "everything as CSV"},
};

report::Table ProfileTable(const std::vector<machine_profile::NamedProfile>& profiles,
                           bool details) {
  report::Table table{"profiles", "Machine profiles", {{"name"}, {"origin"}, {"model"}}, {}};
  if (details) {
    table.columns.push_back({"source", "", true});
    table.columns.push_back({"path", "", true});
  }
  for (const machine_profile::NamedProfile& named : profiles) {
    if (!named.profile) continue;
    const machine_profile::Profile& profile = *named.profile;
    table.rows.push_back({named.name, std::string(Name(profile.origin)),
                          profile.model.empty() ? profile.machine : profile.model});
    if (!details) continue;
    table.rows.back().emplace_back(profile.derived_from.empty() ? profile.source
                                                                : profile.derived_from);
    table.rows.back().emplace_back(named.path.string());
  }
  return table;
}

report::Table BrokenTable(const std::vector<machine_profile::NamedProfile>& profiles) {
  report::Table table{"broken",
                      "Files that are not valid profiles",
                      {{"name"}, {"path"}, {"reason", "", true}},
                      {}};
  for (const machine_profile::NamedProfile& named : profiles) {
    if (named.profile) continue;
    // Removes the path from the reason, because it has its own column.
    const std::string path = Printable(named.path.string()) + ": ";
    const bool has_path = named.reason.starts_with(path);
    table.rows.push_back({named.name, named.path.string(),
                          has_path ? named.reason.substr(path.size()) : named.reason});
  }
  return table;
}

// The model alone, so that every name fits on two screens: "Pentium III (Katmai)".
std::string ShortModel(std::string_view about) {
  for (const std::string_view rest : {",", " with ", " when "})
    about = about.substr(0, about.find(rest));
  return std::string(about);
}

// What --machine takes besides profiles: caches, TLBs and branches to model.
report::Table ProcessorTable(bool details) {
  report::Table table{"processors",
                      "Processor descriptions, for --machine of count, trace and sign",
                      {{"name"}, {"l1d", "KiB"}, {"l2", "KiB"}, {"l3", "KiB"}, {"about"}},
                      {}};
  // Names that are not listed cannot be chosen.
  table.whole = true;
  if (details) {
    table.columns.push_back({"source", "", true});
    table.columns.push_back({"path", "", true});
  }
  const auto size = [](const std::optional<model::CacheLevel>& level) {
    return level ? report::Cell(Exact(static_cast<std::int64_t>(level->bytes >> 10)))
                 : report::Cell();
  };
  for (const model::NamedProcessor& named : model::ListProcessors(ProcessorDirectories())) {
    const auto read = model::ReadProcessor(named.path);
    if (!read) continue;
    table.rows.push_back({Printable(named.name), size(read->l1d), size(read->l2), size(read->l3),
                          details ? Printable(read->about) : ShortModel(Printable(read->about))});
    if (!details) continue;
    table.rows.back().emplace_back(Printable(read->source));
    table.rows.back().emplace_back(Printable(named.path.string()));
  }
  return table;
}

std::string ListAnswer(const std::vector<machine_profile::NamedProfile>& profiles,
                       const report::Table& processors) {
  const auto usable = [](const auto& named) { return named.profile.has_value(); };
  const std::string own = ThisMachinesProfileName();
  const bool measured = std::ranges::any_of(
      profiles, [&](const auto& named) { return usable(named) && named.name == own; });
  return fmt::format(
      "{} machine profiles, to predict with, and {} processor descriptions, to model. {}",
      std::ranges::count_if(profiles, usable), processors.rows.size(),
      measured ? fmt::format("This machine is {}.", Printable(own))
               : "This machine has no profile yet: tare machine measure makes one.");
}

Result<Outcome> RunMachineList(const ListOptions& options, Session& session) {
  const auto profiles = machine_profile::List(ProfileDirectories());
  const auto make = [&](bool all) -> Result<report::Document> {
    report::Document document;
    document.title = "Known machine profiles";
    report::Table processors = ProcessorTable(options.details || all);
    document.blocks.emplace_back(report::Text{"answer", ListAnswer(profiles, processors)});
    document.blocks.emplace_back(ProfileTable(profiles, options.details || all));
    report::Table broken = BrokenTable(profiles);
    if (all || !broken.rows.empty()) document.blocks.emplace_back(std::move(broken));
    document.blocks.emplace_back(std::move(processors));
    return document;
  };
  return MakeOutcome(session, make);
}

}  // namespace

Command MachineListCommand() {
  return MakeCommand<ListOptions>(
      {"machine list", "list the known profiles and processors",
       "Lists the profiles that were made here (stored below $XDG_STATE_HOME or ~/.local/state) "
       "and those that are shipped with tare, each with its origin and source. Files that are "
       "not valid profiles are listed separately, with the reason. Processor descriptions, which "
       "--machine of tare count, trace and sign also takes, follow.",
       kMachineListExamples},
      kMachineListFlags, RunMachineList);
}

}  // namespace tare::cli
