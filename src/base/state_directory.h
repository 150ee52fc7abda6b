// state_directory.h: the directory in which tare stores data about a machine between runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tare {

// Returns `xdg_state_home`/tare or `home`/.local/state/tare. Ignores relative paths and fails if
// neither is an absolute path.
Result<std::filesystem::path> StateDirectory(const std::optional<std::string>& xdg_state_home,
                                             const std::optional<std::string>& home);

// Turns a name into a valid file name: other characters than ASCII letters, digits, '.' and '_'
// become '-', and the length is limited. Different names may give the same file name.
std::string AsFileName(std::string_view name);

}  // namespace tare
