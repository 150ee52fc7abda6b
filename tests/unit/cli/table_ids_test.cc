// table_ids_test.cc: tests that ids of tables are known before a command runs.
#include "cli/table_ids.h"

#include <gtest/gtest.h>

#include "cli/commands.h"

namespace tare::cli {
namespace {

using Given = std::map<std::string, std::string>;

std::string MessageOf(std::string_view command, std::string_view id, const Given& given) {
  const auto checked = CheckTableId(command, id, given);
  return checked ? "" : checked.error().message;
}

TEST(CheckTableId, EveryCommandRefusesAnUnknownTable) {
  for (const Command& command : Commands()) {
    const auto checked = CheckTableId(command.text.name, "nonsense", {});
    ASSERT_FALSE(checked) << command.text.name;
    EXPECT_EQ(checked.error().kind, ErrorKind::kUsage) << command.text.name;
    EXPECT_TRUE(CheckTableId(command.text.name, "-", {})) << command.text.name;
  }
}

TEST(CheckTableId, EveryCommandSuggestsANearName) {
  for (const Command& command : Commands()) {
    const std::string first(TableIds(command.text.name).front().id);
    EXPECT_NE(MessageOf(command.text.name, first + "x", {}).find("did you mean " + first + "?"),
              std::string::npos)
        << command.text.name;
  }
}

TEST(CheckTableId, EveryTableThatNeedsAnOptionIsRefusedWithoutIt) {
  for (const Command& command : Commands()) {
    for (const TableId& table : TableIds(command.text.name)) {
      const std::string message = MessageOf(command.text.name, table.id, {});
      EXPECT_EQ(message.empty(), table.needs.empty()) << command.text.name << " " << table.id;
      EXPECT_NE(message.find(table.needs), std::string::npos) << message;
    }
  }
}

TEST(CheckTableId, OneOfTheOptionsIsEnough) {
  EXPECT_EQ(MessageOf("count", "machines", {{"machine", "zen2 zen3"}}), "");
  EXPECT_EQ(MessageOf("count", "machines", {{"change", "L2.bytes=1MiB"}}), "");
  EXPECT_NE(MessageOf("count", "machines", {{"runs", "2"}}), "");
}

TEST(CheckTableId, TheValueOfAnOptionCanBeOneOfAList) {
  EXPECT_EQ(MessageOf("count", "virtual", {{"engine", "valgrind,virtual"}}), "");
  EXPECT_NE(MessageOf("count", "virtual", {{"engine", "valgrind"}}), "");
  EXPECT_EQ(MessageOf("count", "lines", {{"per", "line"}}), "");
  EXPECT_NE(MessageOf("count", "lines", {{"per", "block"}}), "");
}

TEST(TableIds, HaveNoTableOfAnOptionThatTheCommandLacks) {
  EXPECT_TRUE(IsTableId("events show", "printed"));
  EXPECT_FALSE(IsTableId("events record", "printed"));
  EXPECT_TRUE(IsTableId("machine show", "hits"));
  EXPECT_FALSE(IsTableId("machine measure", "hits"));
}

}  // namespace
}  // namespace tare::cli
