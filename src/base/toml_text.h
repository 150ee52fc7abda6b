// toml_text.h: the text of a TOML file in ASCII alone.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tare {

// toml++ 3.3 has undefined behaviour for letters outside of ASCII in unexpected places. So they are
// written as escapes in "strings", blotted out in comments, and refused elsewhere; lines stay
// lines. Strings over several lines are refused, too. Errors as FailAt's.
Result<std::string> AsciiToml(std::string_view text, const std::filesystem::path& path);

}  // namespace tare
