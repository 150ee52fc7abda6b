// toml_text.h: rewrites the text of a TOML file in pure ASCII.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tare {

// toml++ 3.3 has undefined behaviour on non-ASCII characters in unexpected places. So this function
// escapes them in double-quoted strings, overwrites them in comments and rejects them elsewhere.
// Line numbers stay the same. Multi-line strings are rejected, too. Errors have the form of FailAt.
Result<std::string> AsciiToml(std::string_view text, const std::filesystem::path& path);

}  // namespace tare
