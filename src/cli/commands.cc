// commands.cc: finds commands and their groups in the table.
#include "cli/commands.h"

#include <algorithm>
#include <array>

namespace tare::cli {

std::span<const CommandGroup> CommandGroups() {
  static constexpr std::array kGroups = {
      CommandGroup{"events", "event traces: what a program does, in order",
                   "An event trace lists what a program did in order: executed blocks, memory "
                   "accesses, or the events of its own source. Traces are kept small by abstract "
                   "execution, Lempel-Ziv or sampling, and can be exported for other tools."},
      CommandGroup{"machine", "machine profiles: measured, published or projected",
                   "A machine profile describes how fast a machine can work, independent of any "
                   "program: rates of loads and stores by size of the working set, arithmetic, "
                   "latencies, caches and TLBs. Profiles are files: measured here, shipped with "
                   "their published sources, or projected from another profile."},
      CommandGroup{"perturb", "check whether measuring changed the measured program",
                   "Instrumentation changes how the metrics of a program behave, and its run-time "
                   "cost does not show how much. A baseline contains runs of the program without "
                   "instrumentation. Traces of instrumented runs are then compared with it in two "
                   "ways: by the correlations between metrics, and by how well each trace can be "
                   "aligned with the baseline's traces."},
      CommandGroup{"study", "experiments as files: many programs, settings and repetitions",
                   "A study file declares programs, inputs, settings, engines, repetitions and "
                   "rules for stopping. Its runs are made in random order, stored one by one, and "
                   "never made twice; a study continues after an interruption, a crash or a power "
                   "failure. It runs on this machine or as Slurm jobs on the nodes of a cluster."},
  };
  return kGroups;
}

const Command* FindCommand(std::string_view name) {
  const auto commands = Commands();
  const auto found =
      std::ranges::find(commands, name, [](const Command& command) { return command.text.name; });
  return found == commands.end() ? nullptr : &*found;
}

std::string_view NameInGroup(const Command& command) {
  const std::string_view name = command.text.name;
  return name.substr(name.find(' ') + 1);
}

const CommandGroup* GroupOf(const Command& command) {
  const std::string_view name = command.text.name;
  const std::size_t blank = name.find(' ');
  if (blank == std::string_view::npos) return nullptr;
  const auto groups = CommandGroups();
  const auto found = std::ranges::find(groups, name.substr(0, blank), &CommandGroup::name);
  return found == groups.end() ? nullptr : &*found;
}

std::vector<const Command*> CommandsOf(const CommandGroup& group) {
  std::vector<const Command*> members;
  for (const Command& command : Commands()) {
    if (GroupOf(command) == &group) members.push_back(&command);
  }
  return members;
}

Named FindNamed(std::span<const std::string> words) {
  if (words.empty()) return {};
  const auto groups = CommandGroups();
  const auto group = std::ranges::find(groups, words.front(), &CommandGroup::name);
  if (group == groups.end()) {
    const Command* command = FindCommand(words.front());
    return {command, nullptr, command == nullptr ? 0u : 1u};
  }
  for (const Command* command : CommandsOf(*group)) {
    if (words.size() > 1 && NameInGroup(*command) == words[1]) return {command, &*group, 2};
  }
  return {nullptr, &*group, 1};
}

std::vector<TopName> TopNames() {
  std::vector<TopName> names;
  for (const Command& command : Commands()) {
    const CommandGroup* group = GroupOf(command);
    if (group == nullptr) {
      names.push_back({command.text.name, command.text.summary});
    } else if (names.empty() || names.back().name != group->name) {
      names.push_back({group->name, group->summary});
    }
  }
  return names;
}

}  // namespace tare::cli
