// table_ids_test.cc: tests that ids of tables are known before a command runs.
#include "cli/table_ids.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "cli/commands.h"

namespace tare::cli {
namespace {

using Given = std::map<std::string, std::string>;

std::string MessageOf(std::string_view command, std::string_view id, const Given& given) {
  const auto checked = CheckTableId(command, id, given);
  return checked ? "" : checked.error().message;
}

// An id that the row allows.
std::string OneOf(const TableId& table) {
  std::string id(table.id);
  if (!id.ends_with('*')) return id;
  id.pop_back();
  for (const char c : table.endings.front())
    id += c == '#' ? "2" : c == '*' ? "word_1" : std::string{c};
  return id;
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
      if (table.id == "*") continue;
      const std::string message = MessageOf(command.text.name, OneOf(table), {});
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

TEST(CheckTableId, AStarStandsForWhatTheCommandCanGive) {
  EXPECT_EQ(MessageOf("trace", "metric_cpu_time", {}), "");
  EXPECT_EQ(MessageOf("perturb sweep", "inner_random_2", {}), "");
  EXPECT_EQ(MessageOf("machine show", "load_8", {}), "");
  EXPECT_EQ(MessageOf("machine show", "graph_12_turnaround", {}), "");
  EXPECT_EQ(MessageOf("predict", "whatif_1", {{"whatif", "L2.bytes=x2"}}), "");
  EXPECT_EQ(MessageOf("study report", "deviations_within_2", {}), "");
}

TEST(CheckFigureId, TakesThePlotsOfReplay) {
  for (const char* const id : {"rank_bars", "path_timeline", "scaling_plot"}) {
    EXPECT_TRUE(CheckFigureId("replay", id, {})) << id;
  }
}

TEST(CheckTableId, AStarDoesNotStandForAnything) {
  for (const auto& [command, id] :
       std::vector<std::pair<std::string, std::string>>{{"trace", "metric_"},
                                                        {"trace", "metric_cpu-time"},
                                                        {"trace", "metric_*"},
                                                        {"perturb sweep", "inner_radnom_1"},
                                                        {"perturb sweep", "inner_random_"},
                                                        {"perturb sweep", "outer_givenx"},
                                                        {"machine show", "load_x"},
                                                        {"machine show", "load_0"},
                                                        {"machine show", "load_8_"},
                                                        {"machine show", "graph_turnaround"},
                                                        {"study report", "groups_"},
                                                        {"study report", "groups_02"}}) {
    EXPECT_NE(MessageOf(command, id, {}).find("no table '" + id + "'"), std::string::npos) << id;
  }
  EXPECT_NE(MessageOf("predict", "whatif_x", {{"whatif", "L2.bytes=x2"}}), "");
}

TEST(CheckFigureId, TakesWhatTheInputMayHave) {
  EXPECT_TRUE(CheckFigureId("study report", "inner_given_lua", {}).has_value());
  EXPECT_EQ(CheckTableId("study report", "inner_given_lua", {}).has_value(), false);
  const auto checked = CheckFigureId("timer", "x", {});
  ASSERT_FALSE(checked.has_value());
  EXPECT_TRUE(checked.error().message.contains("no plot or table 'x'")) << checked.error().message;
}

TEST(CheckTableId, NamesTheTablesOfWhichThereAreSeveral) {
  EXPECT_NE(MessageOf("trace", "nonsense", {}).find("metric_*"), std::string::npos);
}

TEST(TableIds, HaveNoTableOfAnOptionThatTheCommandLacks) {
  EXPECT_TRUE(IsTableId("events show", "printed"));
  EXPECT_FALSE(IsTableId("events record", "printed"));
  EXPECT_TRUE(IsTableId("machine show", "hits"));
  EXPECT_FALSE(IsTableId("machine measure", "hits"));
}

}  // namespace
}  // namespace tare::cli
