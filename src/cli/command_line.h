// command_line.h: parses flags and operands.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"

namespace tare::cli {

struct GivenWords {
  // For the provenance: flag names without dashes and the words given for them.
  std::map<std::string, std::string> settings;
  std::vector<std::string> operands;
};

// Sets every flag in `words`. At most `max_operands` words may belong to no flag. After "--", a
// word is an operand even if it begins with a dash.
Result<GivenWords> ParseCommandLine(std::span<const std::string> words,
                                    std::span<const BoundFlag> flags, std::size_t max_operands = 0);

}  // namespace tare::cli
