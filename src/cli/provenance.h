// provenance.h: where and when a result was measured.
#pragma once

#include <optional>
#include <string>

namespace tare::cli {

struct MachineNames {
  std::string machine;
  std::string kernel;
};

MachineNames ThisMachine();

// The current time in UTC, ISO 8601.
std::string TimeNow();

// The environment variable; absent if it is not set or empty.
std::optional<std::string> EnvironmentText(const char* name);

}  // namespace tare::cli
