// help_test.cc: tests that every help text fits on a terminal and names what there is.
#include "cli/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ranges>
#include <string>

#include "cli/commands.h"
#include "cli/table_ids.h"
#include "predict/replay/network.h"

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

TEST(Help, ShowsOperandsAndProgramsThatExcludeEachOtherOnLinesOfTheirOwn) {
  const auto usage = [](std::string_view name) {
    const Command* command = FindCommand(name);
    return command == nullptr ? std::string() : CommandHelp(*command);
  };
  EXPECT_THAT(usage("compare"),
              HasSubstr("Usage: tare compare [options] COMMAND COMMAND...\n"
                        "       tare compare [options] -- PROGRAM [ARGUMENT...] -- PROGRAM"));
  EXPECT_THAT(usage("count"), HasSubstr("Usage: tare count [options] -- PROGRAM [ARGUMENT...]\n"
                                        "       tare count [options] --compare FILE...\n"));
  EXPECT_THAT(usage("load"), HasSubstr("Usage: tare load [options]\n"
                                       "       tare load [options] -- PROGRAM [ARGUMENT...]\n"));
  EXPECT_THAT(usage("mix"), HasSubstr("Usage: tare mix [options] BINARY [BINARY]\n\n"));
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

TEST(Completion, OffersEveryKnownNetwork) {
  const std::string completion = BashCompletion();
  const auto values = completion.find("--network) compopt");
  ASSERT_NE(values, std::string::npos);
  const std::string line = completion.substr(values, completion.find('\n', values) - values);
  for (const std::string_view network : replay::KnownNetworks()) {
    EXPECT_THAT(line, HasSubstr(network));
  }
}

}  // namespace
}  // namespace tare::cli
