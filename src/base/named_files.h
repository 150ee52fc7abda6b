// named_files.h: looks up files by name in a list of directories.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace tare {

// Returns all files with the extension `ending` (".toml"), ordered by directory and then by name.
// Skips hidden files and names that an earlier directory already has. A directory that cannot be
// listed counts as empty.
std::vector<std::filesystem::path> NamedFiles(std::span<const std::filesystem::path> directories,
                                              std::string_view ending);

}  // namespace tare
