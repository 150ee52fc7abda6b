// engine_setting.h: the changes that every engine makes to a program's run setting.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "measure/engine/engine_run.h"

namespace tare::engine {

// File in the recording directory with the engine's own messages.
inline constexpr const char* kMessages = "messages";
std::string FirstMessage(const std::filesystem::path& directory);

// The host's ELF e_machine value.
std::uint32_t HostMachine();

// The region as an engine's option value: "DEVICE:INODE:OFFSET".
std::string RegionText(const Region& region);

// The environment that the program would get without the engine, as a list to which the engine can
// add its own variables.
Result<std::vector<std::string>> ProgramEnvironment(const run::ResolvedProgram& program,
                                                    const run::Setting& setting);
void GiveEnvironment(run::Setting& setting, std::vector<std::string> entries);

// Changes the first letter of every variable with `prefix`, because the engine would interpret it.
// The engine restores the letter for the program. True if there are any.
bool HideVariables(std::string_view prefix, std::vector<std::string>& entries);

// Makes argv[0] the full path in every engine, because engines that load the program themselves can
// pass only that.
void FixName(const EnginePlan& plan, run::Setting& setting);

std::uint64_t FeaturesOf(const EnginePlan& plan);

}  // namespace tare::engine
