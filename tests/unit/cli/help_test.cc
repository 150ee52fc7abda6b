// help_test.cc: tests that every help text fits on a terminal and names what there is.
#include "cli/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ranges>
#include <string>

#include "cli/commands.h"
#include "cli/table_ids.h"

namespace tare::cli {
namespace {

using testing::HasSubstr;

std::size_t WidestLine(std::string_view text) {
  std::size_t widest = 0;
  for (const auto line : std::views::split(text, '\n')) {
    widest = std::max(widest, std::string_view(line).size());
  }
  return widest;
}

TEST(Help, OfEveryCommandAndGroupHasLinesOfAtMost80Columns) {
  for (const Command& command : Commands()) {
    EXPECT_LE(WidestLine(CommandHelp(command)), 80U) << command.text.name;
    EXPECT_LE(WidestLine(TableHelp(command)), 80U) << command.text.name;
  }
  for (const CommandGroup& group : CommandGroups()) {
    EXPECT_LE(WidestLine(GroupHelp(group)), 80U) << group.name;
  }
  EXPECT_LE(WidestLine(OverviewHelp()), 80U);
  EXPECT_LE(WidestLine(ControlHelp()), 80U);
}

TEST(Help, NamesEveryTableOfTheCommand) {
  for (const Command& command : Commands()) {
    const std::string help = CommandHelp(command);
    for (const TableId& table : TableIds(command.text.name)) {
      EXPECT_THAT(help, HasSubstr(table.id)) << command.text.name;
    }
  }
}

TEST(Completion, OffersEveryTableForCsv) {
  const std::string completion = BashCompletion();
  for (const Command& command : Commands()) {
    const auto at = completion.find("'" + std::string(command.text.name) + "')");
    ASSERT_NE(at, std::string::npos) << command.text.name;
    const auto csv = completion.find("--csv) ", at);
    const std::string line = completion.substr(csv, completion.find('\n', csv) - csv);
    for (const TableId& table : TableIds(command.text.name)) {
      if (table.id.ends_with('*')) continue;
      EXPECT_THAT(line, HasSubstr(table.id)) << command.text.name;
    }
  }
}

}  // namespace
}  // namespace tare::cli
