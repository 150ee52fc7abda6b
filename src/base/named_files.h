// named_files.h: files that go by their name, in the directories where they are kept.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace tare {

// All files of the directories with that ending (".toml"), by directory and then by name; hidden
// ones are left out, and so is a name that an earlier directory has. A directory that cannot be
// listed is empty.
std::vector<std::filesystem::path> NamedFiles(std::span<const std::filesystem::path> directories,
                                              std::string_view ending);

}  // namespace tare
