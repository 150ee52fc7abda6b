// command_line.h: which flags were given, with which words.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"

namespace tare::cli {

// Sets every flag that `words` name and returns the settings for the provenance: flag name without
// dashes, and the words given for it. Words that belong to no flag are refused.
Result<std::map<std::string, std::string>> ParseCommandLine(std::span<const std::string> words,
                                                            std::span<const BoundFlag> flags);

}  // namespace tare::cli
