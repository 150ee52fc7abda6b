// seeds_test.cc: what docs/seeds.md names exists, and its counts are those of its rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/help.h"

namespace tare {
namespace {

namespace fs = std::filesystem;

std::string PageText(const fs::path& path) {
  return ReadFile(fs::path(TARE_SOURCE_DIR) / path, 1 << 24).value_or("");
}

const std::string& Seeds() {
  static const std::string text = PageText("docs/seeds.md");
  return text;
}

// `text` must outlive the result.
std::vector<std::smatch> Matches(const std::string& text, const std::regex& pattern) {
  return {std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator()};
}

std::vector<std::string> CellsOf(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream row(line.substr(2));
  for (std::string cell; std::getline(row, cell, '|');) {
    const auto first = cell.find_first_not_of(' ');
    const auto last = cell.find_last_not_of(' ');
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
  }
  return cells;
}

bool Defines(const std::string& source, const std::string& suite, const std::string& name) {
  return std::regex_search(
      source, std::regex(fmt::format(R"(TEST(_F|_P)?\(\s*{}\s*,\s*{}\s*\))", suite, name)));
}

TEST(Seeds, EveryFileExists) {
  const std::regex path(
      "`((tests|src|script|data|engines|accuracy|examples|studies)/[^`: ]+)[`: ]");
  const auto found = Matches(Seeds(), path);
  EXPECT_GT(found.size(), 50u);
  for (const auto& match : found)
    EXPECT_TRUE(fs::exists(fs::path(TARE_SOURCE_DIR) / match[1].str())) << match[1];
}

TEST(Seeds, EveryTestIsInItsFile) {
  const std::regex named(R"(`(tests/[^`:]+\.cc): ([A-Za-z0-9]+)\.([A-Za-z0-9]+)`)");
  const auto found = Matches(Seeds(), named);
  EXPECT_GT(found.size(), 50u);
  for (const auto& match : found)
    EXPECT_TRUE(Defines(PageText(match[1].str()), match[2], match[3])) << match[0];
}

TEST(Seeds, EveryTestWithoutAFileIsSomewhere) {
  std::string sources;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(TARE_SOURCE_DIR) / "tests")) {
    if (entry.path().string().ends_with("_test.cc"))
      sources += ReadFile(entry.path(), 1 << 24).value_or("");
  }
  std::set<std::string> defined;
  const std::regex test(R"(TEST(_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\))");
  for (const auto& match : Matches(sources, test))
    defined.insert(match[2].str() + "." + match[3].str());
  const std::regex named(R"([^A-Za-z]([A-Z][A-Za-z0-9]+)\.([A-Z][A-Za-z0-9]+)`)");
  for (const auto& match : Matches(Seeds(), named)) {
    EXPECT_TRUE(defined.contains(match[1].str() + "." + match[2].str())) << match[0];
  }
}

// As in GitHub: lower case, without punctuation, hyphens for spaces.
std::string AnchorOf(const std::string& heading) {
  std::string anchor;
  for (const char letter : heading) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == ' ') {
      anchor += '-';
    } else if (std::isalnum(byte) != 0 || letter == '-' || letter == '_') {
      anchor += static_cast<char>(std::tolower(byte));
    }
  }
  return anchor;
}

TEST(Seeds, EveryLinkLeadsToAHeading) {
  const std::regex link(R"(\]\(([^)#:]+)(#([^)]*))?\))");
  for (const auto& match : Matches(Seeds(), link)) {
    const std::string text = PageText("docs/" + match[1].str());
    EXPECT_FALSE(text.empty()) << match[1];
    if (match[3].length() == 0) continue;
    bool found = false;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const auto start = line.find_first_not_of('#');
      if (start == 0 || start == std::string::npos) continue;
      found = found || AnchorOf(line.substr(start + 1)) == match[3].str();
    }
    EXPECT_TRUE(found) << match[0];
  }
}

TEST(Seeds, EveryCommandHasTheOptionsThatAreNamed) {
  const std::regex call("`tare ([a-z]+)( ([a-z]+))?([^`]*)`");
  for (const auto& match : Matches(Seeds(), call)) {
    // The command of a group has two words; otherwise the second is an operand or a value.
    const std::string two = match[1].str() + " " + match[3].str();
    std::string known;
    bool is_command = false;
    for (const cli::Command& command : cli::Commands()) {
      const bool same = command.text.name == two || command.text.name == match[1].str();
      const bool of_group = command.text.name.starts_with(match[1].str() + " ");
      is_command = is_command || same || of_group;
      if (!same) continue;
      const cli::FlagGroups groups = cli::FlagsOf(command);
      for (const auto* flags : {&groups.own, &groups.control, &groups.common}) {
        for (const cli::FlagText& flag : *flags) known += std::string(cli::LongName(flag)) + " ";
      }
    }
    EXPECT_TRUE(is_command) << match[0];
    const std::string rest = match[4].str();
    for (const auto& option : Matches(rest, std::regex("--[a-z][a-z-]*"))) {
      EXPECT_NE(known.find(option[0].str() + " "), std::string::npos) << match[0];
    }
  }
}

TEST(Seeds, TheCountsAreThoseOfTheRows) {
  const std::vector<std::string> states = {"reproduced", "implemented", "partly", "not here"};
  using Row = std::vector<int>;  // items, and those of each state
  std::map<std::string, Row> counted;
  std::map<std::string, Row> stated;
  Row all(5);
  std::string document;
  std::istringstream lines(Seeds());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) document = line.substr(3);
    if (!line.starts_with("| ")) continue;
    const auto cells = CellsOf(line);
    if (cells.size() == 6 && !cells[1].empty() && std::isdigit(cells[1].front()) != 0) {
      for (std::size_t i = 1; i < 6; ++i) stated[cells[0]].push_back(std::stoi(cells[i]));
    }
    if (document.empty() || cells.size() != 4 || cells[3] == "state") continue;
    if (cells[0].starts_with("---")) continue;
    const std::string state = cells[3].substr(0, cells[3].find(':'));
    const auto found = std::ranges::find(states, state);
    ASSERT_NE(found, states.end()) << line;
    Row& row = counted.try_emplace(document, Row(5)).first->second;
    const auto at = static_cast<std::size_t>(found - states.begin()) + 1;
    for (Row* sum : {&row, &all}) {
      ++(*sum)[0];
      ++(*sum)[at];
    }
    EXPECT_TRUE(at < 3 || cells[3].contains(": ")) << "no reason: " << line;
  }
  counted["all"] = all;
  EXPECT_EQ(counted, stated);
  EXPECT_TRUE(Seeds().contains(
      fmt::format("Of {} items, {} are reproduced, {} are implemented, {} are partly here", all[0],
                  all[1], all[2], all[3])));
}

}  // namespace
}  // namespace tare
