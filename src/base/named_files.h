// named_files.h: files that go by their name, in the folders where they are kept.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace tare {

// All files of the folders with that ending (".toml"), by folder and then by name; hidden ones are
// left out, and so is a name that an earlier folder has. A folder that cannot be listed is empty.
std::vector<std::filesystem::path> NamedFiles(std::span<const std::filesystem::path> folders,
                                              std::string_view ending);

}  // namespace tare
