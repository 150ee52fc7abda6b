// toml_text.h: places in a TOML file, and its text in pure ASCII.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tare {

// Both count from 1.
struct TomlPlace {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// Returns the error "PATH:LINE:COLUMN: message" of kind kFormat.
std::unexpected<Error> FailAt(const std::filesystem::path& path, TomlPlace place,
                              std::string_view message);

// toml++ 3.3 has undefined behaviour on non-ASCII characters in unexpected places. So this function
// escapes them in double-quoted strings, overwrites them in comments and rejects them elsewhere.
// Line numbers stay the same. Multi-line strings are rejected, too. Errors have the form of FailAt.
Result<std::string> AsciiToml(std::string_view text, const std::filesystem::path& path);

}  // namespace tare
