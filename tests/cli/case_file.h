// case_file.h: a test of the program as a user meets it: a command line, an exit status, and what
// must be printed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tare::cli_test {

// A demand on the JSON that the command printed: the value at `pointer` is `text`, or lies in [low,
// high].
struct JsonDemand {
  std::string pointer;
  std::string relation;  // "==", "in", "is" (a JSON type)
  std::string operand;
};

// See docs/how-to-add.md for the form of the file.
struct Case {
  std::vector<std::string> commands;  // shell lines; the last one is judged
  int exit_status = 0;
  bool judges_output = false;
  bool judges_errors = false;
  std::vector<std::string> output;
  std::vector<std::string> errors;
  std::vector<JsonDemand> json;
};

Result<Case> ReadCase(const std::filesystem::path& path);

// Whether `text` has the lines of `pattern`, where a line `...` stands for any number of lines and
// {*} for any text inside a line.
bool Matches(const std::vector<std::string>& pattern, std::string_view text);

// Empty when the demand holds; otherwise what is wrong.
std::string Unmet(const JsonDemand& demand, const std::string& json_text);

}  // namespace tare::cli_test
