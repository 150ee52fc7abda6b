// flow_files.h: which flows there are in a directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tare::vpmu {

// Names of recordings, "PROCESS.GENERATION", that have a flow beside them; in order.
std::vector<std::string> FlowNames(const std::filesystem::path& directory);

// False for a flow that its engine has made and not begun: there is nothing in it.
bool HasBegun(const std::filesystem::path& directory, const std::string& name);

}  // namespace tare::vpmu
