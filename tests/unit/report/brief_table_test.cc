// brief_table_test.cc: tests what brief text leaves out of a table.
#include "report/brief_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "report/text.h"

namespace tare::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Table CountTable() {
  Table table{"counts", "Counts", {{"engine"}, {"event"}, {"count"}, {"calls"}}, {}};
  table.rows = {
      {std::string("kernel"), std::string("faults"), Exact(314), Exact(0)},
      {std::string("kernel"), std::string("switches"), Exact(0), Exact(0)},
      {std::string("hardware"), std::string("cycles"), Absent("no counter"), Absent("no counter")},
      {std::string("hardware"), std::string("loads"), Absent("no counter"), Absent("no counter")}};
  return table;
}

std::string BriefText(const Table& table, std::size_t width, std::size_t max_lines = 0) {
  Document document;
  document.blocks = {table};
  return ToText(document, {.width = width, .quiet = true, .brief = true, .max_lines = max_lines});
}

TEST(BriefTable, LeavesOutZerosAndStatesAbsencesOnce) {
  const BriefTable brief = Brief(CountTable(), 0);
  ASSERT_EQ(brief.table.rows.size(), 1u);
  EXPECT_EQ(brief.zero_rows, 1u);
  EXPECT_THAT(brief.absences, ElementsAre("cycles, loads: no counter"));
  EXPECT_EQ(LeftOut(brief), "1 row of zeros");
}

TEST(BriefTable, KeepsARowWhoseIntervalIsNotZero) {
  Table table = CountTable();
  table.rows[1][2] = Between(0, 0, 5, 0.95);
  EXPECT_EQ(Brief(table, 0).table.rows.size(), 2u);
}

TEST(BriefTable, KeepsTheOnlyRowAndWholeTables) {
  Table table = CountTable();
  table.whole = true;
  EXPECT_EQ(Brief(table, 1).table.rows.size(), 4u);
  table.whole = false;
  table.rows.resize(1);
  table.rows[0][2] = Exact(0);
  EXPECT_EQ(Brief(table, 0).table.rows.size(), 1u);
}

TEST(BriefTable, LeavesOutColumnsOfZeros) {
  Table table = CountTable();
  table.rows[1][2] = Exact(2);
  const BriefTable brief = Brief(table, 0);
  EXPECT_EQ(brief.table.columns.size(), 3u);
  EXPECT_THAT(brief.left_out_columns, ElementsAre("calls"));
}

// A finding, a table and two plots, which are named when they are left out.
TEST(BriefText, LeavesOutPlotsThatDoNotFit) {
  Document document;
  const auto plot = [](std::string id) {
    return Series{std::move(id),
                  "A plot",
                  {"size", "B"},
                  true,
                  {{"load", "", {1, 2, 4, 8}, {1, 2, 3, 4}, {}, {}}},
                  false,
                  {}};
  };
  document.blocks = {Text{"answer", "It is fast."}, plot("bandwidth"), CountTable(),
                     plot("latency")};
  TextStyle style{.width = 80, .brief = true, .max_lines = 30, .left_out = {"about"}};
  const std::string shown = ToText(document, style);
  EXPECT_LE(std::ranges::count(shown, '\n'), 30);
  EXPECT_THAT(shown, HasSubstr("It is fast."));
  EXPECT_THAT(shown, HasSubstr("faults"));
  EXPECT_THAT(shown, HasSubstr("Also with -v: latency, about."));
  style.keep_blocks = true;
  EXPECT_THAT(ToText(document, style), HasSubstr("Also with -v: about."));
}

TEST(BriefText, DropsColumnsInsteadOfPrintingRecords) {
  Table table{"wide", "Wide", {{"name"}}, {}};
  for (int i = 0; i < 12; ++i) table.columns.push_back({"column_" + std::to_string(i)});
  for (int row = 0; row < 3; ++row) {
    std::vector<Cell> cells = {std::string("row") + std::to_string(row)};
    for (int i = 0; i < 12; ++i) cells.emplace_back(Exact(1000000 + i));
    table.rows.push_back(std::move(cells));
  }
  const std::string text = BriefText(table, 60);
  EXPECT_THAT(text, Not(HasSubstr("column 0:")));
  EXPECT_THAT(text, HasSubstr("columns"));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 10);
}

TEST(BriefText, KeepsToTheNumberOfLines) {
  Table table{"long", "Long", {{"name"}, {"count"}}, {}};
  for (int row = 0; row < 500; ++row) {
    table.rows.push_back({std::string("row") + std::to_string(row), Exact(row + 1)});
  }
  const std::string text = BriefText(table, 80, 50);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 50);
  EXPECT_THAT(text, HasSubstr("more rows"));
}

TEST(BriefText, HasTheAnswerBeforeTheTable) {
  Document document;
  document.blocks = {CountTable(), Text{"answer", "It counts."}};
  const std::string text = ToText(document, {.width = 80, .brief = true});
  EXPECT_LT(text.find("It counts."), text.find("engine"));
}

TEST(BriefText, SaysNothingOfExactOnRatios) {
  Table table{"mix", "", {{"category"}, {"count"}, {"share", "%"}}, {}};
  table.rows = {{std::string("a"), Exact(1), Known(100.0 / 3)},
                {std::string("b"), Exact(2), Known(200.0 / 3)}};
  const std::string text = BriefText(table, 80);
  EXPECT_THAT(text, HasSubstr("share (%)"));
  EXPECT_THAT(text, HasSubstr("33.33"));
  EXPECT_THAT(text, Not(HasSubstr("%, exact")));
}

}  // namespace
}  // namespace tare::report
