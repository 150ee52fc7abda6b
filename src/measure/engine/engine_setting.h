// engine_setting.h: what every engine does to the setting of a program before it starts it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "measure/engine/engine_run.h"

namespace tare::engine {

// In the directory of the recordings: what the engine itself had to say.
inline constexpr const char* kMessages = "messages";
std::string FirstMessage(const std::filesystem::path& directory);

// ELF's number of this machine.
std::uint32_t HostMachine();

// As engines take it.
std::string RegionText(const Region& region);

// What the program would get without the engine, as a list that an engine's own variables can be
// added to.
Result<std::vector<std::string>> ProgramEnvironment(const run::ResolvedProgram& program,
                                                    const run::Setting& setting);
void GiveEnvironment(run::Setting& setting, std::vector<std::string> entries);

// Changes the first letter of all variables with that prefix, which the engine would take for its
// own; inside the engine they are shown to the program as they are. True when there are any.
bool HideVariables(std::string_view prefix, std::vector<std::string>& entries);

// argv[0] is the whole path in every engine: an engine that loads the program itself can give no
// other.
void FixName(const EnginePlan& plan, run::Setting& setting);

std::uint64_t FeaturesOf(const EnginePlan& plan);

}  // namespace tare::engine
