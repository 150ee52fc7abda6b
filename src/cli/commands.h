// commands.h: the table of commands.
#pragma once

#include <span>

#include "cli/command.h"

namespace tare::cli {

// In the order in which help lists them.
std::span<const Command> Commands();

// The command of that name, or null.
const Command* FindCommand(std::string_view name);

// Defined in commands/NAME.cc, one each.
Command CheckCommand();
Command CountCommand();
Command DoctorCommand();
Command LoadCommand();
Command MixCommand();
Command TimerCommand();

}  // namespace tare::cli
