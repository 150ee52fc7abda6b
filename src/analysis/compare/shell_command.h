// shell_command.h: commands of the user that a shell runs beside the measured ones.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "measure/run/setting.h"

namespace tare::compare {

struct ShellCommand {
  std::string option;  // for messages: "--prepare"
  std::string text;
  std::optional<std::filesystem::path> directory = std::nullopt;
  std::vector<run::Variable> set = {};  // variables of its environment
};

// Runs `sh -c TEXT` with its output discarded. Fails if it exits with another status than 0; the
// message has the last line that it wrote to standard error.
Result<void> RunShell(const ShellCommand& command, const StopAsked& interrupted);

}  // namespace tare::compare
