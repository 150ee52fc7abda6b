// help.h: help, manual pages and completions, generated from the command table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"

namespace tare::cli {

// The overview of all commands, of a group, and the help of one command.
std::string OverviewHelp();
std::string GroupHelp(const CommandGroup& group);
std::string CommandHelp(const Command& command);

// The options that control how a program is run, which all commands that run one have.
std::string ControlHelp();

// The ids of the command's tables.
std::string TableHelp(const Command& command);

// "count [options] -- PROGRAM [ARGUMENT...]" and the other ways to call it, the usual one first.
std::vector<std::string> Synopses(const Command& command);

// Manual pages in roff.
std::string OverviewManual();
std::string GroupManual(const CommandGroup& group);
std::string CommandManual(const Command& command);

std::string BashCompletion();
std::string ZshCompletion();

// The name of its manual page: "tare-machine-show".
std::string ManualName(std::string_view command);

// Writes man1/*.1, bash/tare and zsh/_tare below `directory`.
Result<void> WriteManualsAndCompletions(const std::filesystem::path& directory);

// The flags of a command: its own, those that control how a program is run, and the common ones.
struct FlagGroups {
  std::vector<FlagText> own;
  std::vector<FlagText> control;
  std::vector<FlagText> common;
};
FlagGroups FlagsOf(const Command& command);

}  // namespace tare::cli
