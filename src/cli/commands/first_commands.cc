// first_commands.cc: the table of a program with the commands that script/demo shows first.
#include <array>

#include "cli/commands.h"

namespace tare::cli {

std::span<const Command> Commands() {
  static const auto kCommands = std::to_array<Command>({
      CheckCommand(),
      CountCommand(),
      DoctorCommand(),
  });
  return kCommands;
}

}  // namespace tare::cli
