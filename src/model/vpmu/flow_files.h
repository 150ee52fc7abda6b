// flow_files.h: finds the flows in a directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tare::vpmu {

// The names of the recordings, "PROCESS.GENERATION", that have a flow in the directory; sorted.
std::vector<std::string> FlowNames(const std::filesystem::path& directory);

// False for a flow that its engine has created but not initialized.
bool HasBegun(const std::filesystem::path& directory, const std::string& name);

}  // namespace tare::vpmu
