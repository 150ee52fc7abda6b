// command_line.h: which flags were given, with which words.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"

namespace tare::cli {

struct GivenWords {
  // For the provenance: flag name without dashes, and the words given for it.
  std::map<std::string, std::string> settings;
  std::vector<std::string> operands;
};

// Sets every flag that `words` name. At most `max_operands` words may belong to no flag; behind
// "--" a word is an operand even when it begins with a dash.
Result<GivenWords> ParseCommandLine(std::span<const std::string> words,
                                    std::span<const BoundFlag> flags, std::size_t max_operands = 0);

}  // namespace tare::cli
