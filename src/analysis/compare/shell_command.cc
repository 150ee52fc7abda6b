// shell_command.cc: runs a command of the user and explains its failure.
#include "analysis/compare/shell_command.h"

#include <fmt/format.h>

#include "base/last_line.h"
#include "base/printable.h"
#include "measure/run/process.h"

namespace tare::compare {

Result<void> RunShell(const ShellCommand& command, const StopAsked& interrupted) {
  TRY(const auto shell, run::Resolve({{"/bin/sh", "-c", command.text}}));
  run::Setting setting;
  setting.randomize_addresses = true;
  setting.environment.sorted = false;
  setting.environment.set = command.set;
  setting.directory = command.directory;
  setting.input = {run::Input::From::kNothing, {}};
  setting.output = run::Output::kCaptured;
  setting.errors = run::Output::kCaptured;
  run::Hooks hooks;
  hooks.interrupted = interrupted;
  TRY(const auto finished, run::RunProgram(shell, setting, hooks));
  if (finished.ended.interrupted) return Stopped();
  const int status = finished.ended.ShellStatus();
  if (status == 0) return {};
  const std::string line = LastLine(finished.errors.empty() ? finished.output : finished.errors);
  return Fail(ErrorKind::kUnsupported,
              fmt::format("{} '{}' exits with status {}{}{}", command.option,
                          Printable(command.text), status, line.empty() ? "" : ": ", line));
}

}  // namespace tare::compare
