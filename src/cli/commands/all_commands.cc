// all_commands.cc: one row per command.
#include <array>

#include "cli/commands.h"

namespace tare::cli {

std::span<const Command> Commands() {
  static const auto kCommands = std::to_array<Command>({
      CheckCommand(),
      CompareCommand(),
      CountCommand(),
      ProfileCommand(),
      EventsRecordCommand(),
      EventsShowCommand(),
      EventsCheckCommand(),
      EventsExpandCommand(),
      EventsCompressCommand(),
      EventsSampleCommand(),
      EventsExportCommand(),
      WhyCommand(),
      ProxyCommand(),
      PerturbBaselineCommand(),
      PerturbJudgeCommand(),
      PerturbSweepCommand(),
      PerturbPlanCommand(),
      PerturbMergeCommand(),
      TraceCommand(),
      SignCommand(),
      MixCommand(),
      MachineMeasureCommand(),
      MachineShowCommand(),
      MachineCompareCommand(),
      MachineListCommand(),
      MachineEditCommand(),
      MachineProjectCommand(),
      PredictCommand(),
      MpiCommand(),
      ReplayCommand(),
      StudyRunCommand(),
      StudyPlanCommand(),
      StudyStatusCommand(),
      StudyReportCommand(),
      StudyDiffCommand(),
      StudyExportCommand(),
      StudyTaskCommand(),
      ReportCommand(),
      DoctorCommand(),
      TimerCommand(),
      LoadCommand(),
  });
  return kCommands;
}

}  // namespace tare::cli
