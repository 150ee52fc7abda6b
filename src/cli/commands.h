// commands.h: the table of commands.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace tare::cli {

// In the order of the help. Each program has its own table: commands/all_commands.cc is that of
// tare.
std::span<const Command> Commands();

// The command of that name, or null.
const Command* FindCommand(std::string_view name);

std::span<const CommandGroup> CommandGroups();

// The group of a command, or null.
const CommandGroup* GroupOf(const Command& command);

std::vector<const Command*> CommandsOf(const CommandGroup& group);

// The name of a command without its group's name.
std::string_view NameInGroup(const Command& command);

// What the first words of a command line name: a command, by one word or two, a group alone, or
// nothing. `words` is the number of words used.
struct Named {
  const Command* command = nullptr;
  const CommandGroup* group = nullptr;
  std::size_t words = 0;
};
Named FindNamed(std::span<const std::string> words);

// Commands without a group, and groups, in the order of the help.
struct TopName {
  std::string_view name;
  std::string_view summary;
};
std::vector<TopName> TopNames();

// Each is defined in commands/GROUP/NAME.cc.
Command CheckCommand();
Command CompareCommand();
Command CountCommand();
Command DoctorCommand();
Command EventsCheckCommand();
Command EventsCompressCommand();
Command EventsExpandCommand();
Command EventsExportCommand();
Command EventsRecordCommand();
Command EventsSampleCommand();
Command EventsShowCommand();
Command LoadCommand();
Command MachineCompareCommand();
Command MachineEditCommand();
Command MachineListCommand();
Command MachineMeasureCommand();
Command MachineProjectCommand();
Command MachineShowCommand();
Command MixCommand();
Command ProxyCommand();
Command MpiCommand();
Command PredictCommand();
Command ReplayCommand();
Command ReportCommand();
Command ProfileCommand();
Command PerturbBaselineCommand();
Command PerturbJudgeCommand();
Command PerturbSweepCommand();
Command PerturbPlanCommand();
Command PerturbMergeCommand();
Command SignCommand();
Command StudyDiffCommand();
Command StudyExportCommand();
Command StudyPlanCommand();
Command StudyReportCommand();
Command StudyRunCommand();
Command StudyStatusCommand();
Command StudyTaskCommand();
Command TimerCommand();
Command TraceCommand();
Command WhyCommand();

}  // namespace tare::cli
