// commands.cc: one row per command.
#include "cli/commands.h"

#include <algorithm>
#include <array>

namespace tare::cli {

std::span<const Command> Commands() {
  static const auto kCommands = std::to_array<Command>({
      CheckCommand(),
      CountCommand(),
      MixCommand(),
      DoctorCommand(),
      TimerCommand(),
      LoadCommand(),
  });
  return kCommands;
}

const Command* FindCommand(std::string_view name) {
  const auto commands = Commands();
  const auto found =
      std::ranges::find(commands, name, [](const Command& command) { return command.text.name; });
  return found == commands.end() ? nullptr : &*found;
}

}  // namespace tare::cli
