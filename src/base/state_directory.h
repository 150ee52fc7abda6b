// state_directory.h: where tare keeps what it learnt of a machine between two runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tare {

// `xdg_state_home`/tare or `home`/.local/state/tare. Fails when neither is given or the directory
// is not absolute.
Result<std::filesystem::path> StateDirectory(const std::optional<std::string>& xdg_state_home,
                                             const std::optional<std::string>& home);

// The name as one of a file: characters that do not belong there become '-', and it is short
// enough. Different names may become the same.
std::string AsFileName(std::string_view name);

}  // namespace tare
