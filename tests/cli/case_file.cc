// case_file.cc: reads and evaluates case files.
#include "case_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.h"

namespace tare::cli_test {
namespace {

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

// Whether the line matches the pattern, in which {*} matches any text.
bool LineMatches(std::string_view pattern, std::string_view line) {
  constexpr std::string_view kAny = "{*}";
  const auto first = pattern.find(kAny);
  if (first == std::string_view::npos) return pattern == line;
  if (!line.starts_with(pattern.substr(0, first))) return false;
  line.remove_prefix(first);
  pattern.remove_prefix(first + kAny.size());
  while (true) {
    const auto next = pattern.find(kAny);
    const auto part = pattern.substr(0, next);
    if (next == std::string_view::npos) return line.ends_with(part);
    const auto found = line.find(part);
    if (found == std::string_view::npos) return false;
    line.remove_prefix(found + part.size());
    pattern.remove_prefix(next + kAny.size());
  }
}

bool LinesMatch(std::span<const std::string> pattern, std::span<const std::string> lines) {
  if (pattern.empty()) return lines.empty();
  if (pattern.front() == "...") {
    for (std::size_t skipped = 0; skipped <= lines.size(); ++skipped) {
      if (LinesMatch(pattern.subspan(1), lines.subspan(skipped))) return true;
    }
    return false;
  }
  return !lines.empty() && LineMatches(pattern.front(), lines.front()) &&
         LinesMatch(pattern.subspan(1), lines.subspan(1));
}

Result<JsonDemand> ReadDemand(const std::string& line) {
  std::istringstream words(line);
  JsonDemand demand;
  words >> demand.pointer >> demand.relation >> std::ws;
  std::getline(words, demand.operand);
  const bool known = demand.relation == "==" || demand.relation == "in" || demand.relation == "is";
  if (!known || demand.operand.empty()) {
    return Fail(ErrorKind::kFormat,
                fmt::format("json POINTER ==|in|is OPERAND expected: {}", line));
  }
  return demand;
}

}  // namespace

Result<Case> ReadCase(const std::filesystem::path& path) {
  TRY(const std::string text, ReadFile(path, 1 << 20));
  Case test;
  std::vector<std::string>* section = nullptr;
  for (const std::string& line : Lines(text)) {
    if (line.starts_with("--- ")) {
      const std::string_view what = std::string_view(line).substr(4);
      section = nullptr;
      if (what == "stdout") {
        test.judges_output = true;
        section = &test.output;
      } else if (what == "stderr") {
        test.judges_errors = true;
        section = &test.errors;
      } else if (what.starts_with("exit ")) {
        test.exit_status = std::stoi(std::string(what.substr(5)));
      } else if (what.starts_with("needs ")) {
        test.needs.emplace_back(what.substr(6));
      } else if (what.starts_with("json ")) {
        TRY(auto demand, ReadDemand(std::string(what.substr(5))));
        test.json.push_back(std::move(demand));
      } else {
        return Fail(ErrorKind::kFormat,
                    fmt::format("{}: unknown section '{}'", path.string(), what));
      }
    } else if (section != nullptr) {
      section->push_back(line);
    } else if (line.starts_with("$ ")) {
      test.commands.push_back(line.substr(2));
    } else if (!line.empty() && !line.starts_with('#')) {
      return Fail(ErrorKind::kFormat, fmt::format("{}: stray line '{}'", path.string(), line));
    }
  }
  if (test.commands.empty()) {
    return Fail(ErrorKind::kFormat, fmt::format("{}: no command", path.string()));
  }
  return test;
}

bool Matches(const std::vector<std::string>& pattern, std::string_view text) {
  return LinesMatch(pattern, Lines(text));
}

nlohmann::json ParseOutput(const std::string& output) {
  return nlohmann::json::parse(output, nullptr, false);
}

std::string Unmet(const JsonDemand& demand, const nlohmann::json& output) {
  if (output.is_discarded()) return "the output is not JSON";
  try {
    const auto& value = output.at(nlohmann::json::json_pointer(demand.pointer));
    bool met = false;
    if (demand.relation == "is") {
      met = demand.operand == value.type_name();
    } else if (demand.relation == "in") {
      std::istringstream bounds(demand.operand);
      double low = 1;
      double high = 0;
      bounds >> low >> high;
      met = value.is_number() && low <= value.get<double>() && value.get<double>() <= high;
    } else {
      met = value == nlohmann::json::parse(demand.operand);
    }
    return met ? "" : fmt::format("{} is {}", demand.pointer, value.dump());
  } catch (const nlohmann::json::exception& error) {
    return error.what();
  }
}

TablesShown ShownTables(const nlohmann::json& output) {
  TablesShown shown;
  if (!output.is_object() || !output.contains("tare") || !output.contains("blocks")) return shown;
  shown.command = output.at("command").get<std::string>();
  for (const auto& block : output.at("blocks")) {
    if (block.at("kind") != "text") shown.ids.push_back(block.at("id").get<std::string>());
  }
  return shown;
}

std::vector<std::string> Unlisted(const TablesShown& shown, const std::string& listed) {
  std::vector<std::string> patterns;
  for (std::istringstream lines(listed); !lines.eof();) {
    std::string line;
    std::getline(lines, line);
    std::string id;
    if (line.starts_with(' ') && std::istringstream(line) >> id) patterns.push_back(id);
  }
  std::vector<std::string> missing;
  for (const std::string& id : shown.ids) {
    const bool is_listed = std::ranges::any_of(patterns, [&](const std::string& pattern) {
      return pattern.ends_with('*') ? id.starts_with(pattern.substr(0, pattern.size() - 1))
                                    : id == pattern;
    });
    if (!is_listed) missing.push_back(id);
  }
  return missing;
}

}  // namespace tare::cli_test
