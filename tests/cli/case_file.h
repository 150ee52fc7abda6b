// case_file.h: a command-line test: commands, an exit status, and the expected output.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tare::cli_test {

// A requirement on the JSON output: the value at `pointer` equals `operand`, has that type, or is
// in the range.
struct JsonDemand {
  std::string pointer;
  std::string relation;  // "==", "in", "is" (a JSON type)
  std::string operand;
};

// docs/how-to-add.md describes the format of the file.
struct Case {
  std::vector<std::string> needs;     // shell lines; the case is skipped if one fails
  std::vector<std::string> commands;  // shell lines; the last one is tested
  int exit_status = 0;
  bool judges_output = false;
  bool judges_errors = false;
  std::vector<std::string> output;
  std::vector<std::string> errors;
  std::vector<JsonDemand> json;
};

Result<Case> ReadCase(const std::filesystem::path& path);

// Whether `text` has the lines of `pattern`, where a line `...` matches any number of lines and {*}
// matches any text inside a line.
bool Matches(const std::vector<std::string>& pattern, std::string_view text);

// The output as JSON; a discarded value if it is other text.
nlohmann::json ParseOutput(const std::string& output);

// Returns an empty string when the requirement is met; otherwise what is wrong.
std::string Unmet(const JsonDemand& demand, const nlohmann::json& output);

// Of JSON output of tare: its command and the ids of its tables and plots. Empty for other text.
struct TablesShown {
  std::string command;
  std::vector<std::string> ids;
};
TablesShown ShownTables(const nlohmann::json& output);

// The ids that `listed`, the output of --list-tables, does not have.
std::vector<std::string> Unlisted(const TablesShown& shown, const std::string& listed);

}  // namespace tare::cli_test
