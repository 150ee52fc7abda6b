// command_words.h: splits a quoted command into words, without a shell.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace tare::compare {

// Words as a POSIX shell would split them: blanks separate, '...', "..." and \ quote. kUsage for a
// quotation without an end, for a command without words, and for unquoted characters that only a
// shell understands, such as |, > and $; `advice` says how to get one.
Result<std::vector<std::string>> SplitCommand(std::string_view command,
                                              std::string_view advice = "add --shell");

// A name and its values: each command that contains {NAME} is compared once with each value.
struct Parameter {
  std::string name;
  std::vector<std::string> values;
};

// "NAME 1,2,4" as two words. kUsage if there is no name or no value.
Result<Parameter> ParseParameter(std::string_view name, std::string_view values);

// The commands with {NAME} replaced; commands without it appear once. kUsage if none contains it.
Result<std::vector<std::string>> WithParameter(const std::vector<std::string>& commands,
                                               const Parameter& parameter);

}  // namespace tare::compare
