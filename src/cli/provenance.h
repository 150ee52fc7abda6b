// provenance.h: where and when a result came about.
#pragma once

#include <optional>
#include <string>

namespace tare::cli {

struct MachineNames {
  std::string machine;
  std::string kernel;
};

MachineNames ThisMachine();

// This moment in UTC, ISO 8601.
std::string TimeNow();

// The variable of the environment; nothing where it is not set or empty.
std::optional<std::string> EnvironmentText(const char* name);

}  // namespace tare::cli
