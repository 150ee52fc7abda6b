// provenance.cc: machine names, time and environment of this run.
#include "cli/provenance.h"

#include <cstdlib>
#include <ctime>

#include "machine/host/machine_identity.h"

namespace tare::cli {

MachineNames ThisMachine() {
  const host::Identity identity = host::ReadIdentity(host::SystemFiles{});
  return {host::MachineName(identity), host::KernelName(identity)};
}

std::string TimeNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, length};
}

std::optional<std::string> EnvironmentText(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

}  // namespace tare::cli
