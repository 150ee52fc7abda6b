// engine_setting.cc: environments, argv[0] and feature masks for engines.
#include "measure/engine/engine_setting.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "binary/decode/architecture.h"
#include "format/start_stack.h"

namespace tare::engine {

std::string FirstMessage(const std::filesystem::path& directory) {
  const std::string all = ReadFile(directory / kMessages, 1 << 16).value_or("");
  std::string_view said = std::string_view(all).substr(0, all.find('\n'));
  // Valgrind begins every line with "==PROCESS== ".
  const std::size_t mark = said.find("== ", 2);
  if (said.starts_with("==") && mark != std::string_view::npos) said.remove_prefix(mark + 3);
  if (said.starts_with("tare: ")) said.remove_prefix(6);
  return std::string(said);
}

std::uint32_t HostMachine() {
  return decode::HostArchitecture() == decode::Architecture::kAArch64 ? TARE_WIRE_AARCH64
                                                                      : TARE_WIRE_X86_64;
}

std::string RegionText(const Region& region) {
  return fmt::format("{}:{}:{}", region.device, region.inode, region.offset);
}

Result<std::vector<std::string>> ProgramEnvironment(const run::ResolvedProgram& program,
                                                    const run::Setting& setting) {
  // The working directory's path is created later. A placeholder of the same length gives the
  // environment block its requested size.
  std::optional<std::string> directory;
  if (setting.cwd_length) directory = std::string(*setting.cwd_length, '/');
  return run::MakeEnvironment(run::ForProgram(program, setting.environment),
                              run::InheritedEnvironment(), directory);
}

void GiveEnvironment(run::Setting& setting, std::vector<std::string> entries) {
  run::Environment given;
  given.from = run::Environment::From::kGiven;
  given.given = std::move(entries);
  given.sorted = false;
  setting.environment = std::move(given);
}

bool HideVariables(std::string_view prefix, std::vector<std::string>& entries) {
  bool any = false;
  for (std::string& entry : entries) {
    if (!entry.starts_with(prefix)) continue;
    entry.front() = TARE_HIDDEN_LETTER;
    any = true;
  }
  return any;
}

void FixName(const EnginePlan& plan, run::Setting& setting) {
  if (!setting.argv0_length) setting.argv0_length = plan.program.path.string().size();
}

std::uint64_t FeaturesOf(const EnginePlan& plan) { return plan.features.value_or(CommonHwcap()); }

}  // namespace tare::engine
