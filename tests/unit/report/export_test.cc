// export_test.cc: tests the export of tables as CSV.
#include "report/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples.h"

namespace tare::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Table OneColumn(std::vector<Cell> cells) {
  Table table{"t", "", {{"c", ""}}, {}};
  for (Cell& cell : cells) table.rows.push_back({std::move(cell)});
  return table;
}

TEST(ToCsv, SplitsMeasuredColumnsIntoThePartsInUse) {
  const Table table = std::get<Table>(SampleDocument().blocks[0]);
  EXPECT_EQ(ToCsv(table),
            "clock,cost,cost_low,cost_high,cost_unit,cost_verdict,resolution,resolution_unit,"
            "resolution_verdict,core\n"
            "monotonic,3.2513e-06,3.042e-06,3.4605e-06,s,valid,26,ns,valid,0\n"
            "thread,2.43e-07,2.38e-07,2.61e-07,s,doubtful,,s,refused,0.5\n"
            ",,,,,,,,,\n");
}

TEST(ToCsv, OmitsUnusedParts) {
  EXPECT_EQ(ToCsv(OneColumn({Exact(1), Exact(9223372036854775807)})),
            "c\n1\n9223372036854775807\n");
}

TEST(ToCsv, WritesDoublesInFull) {
  EXPECT_EQ(ToCsv(OneColumn({Number(0.1 + 0.2)})), "c\n0.30000000000000004\n");
}

TEST(ToCsv, QuotesAsRfc4180Says) {
  EXPECT_EQ(ToCsv(OneColumn({std::string("a,b"), std::string("say \"x\""), std::string("1\n2")})),
            "c\n\"a,b\"\n\"say \"\"x\"\"\"\n\"1\n2\"\n");
}

TEST(ToCsv, DisarmsFormulas) {
  for (const char* text : {"=1+1", "+1", "-1", "@x", "\tx"}) {
    EXPECT_EQ(ToCsv(OneColumn({std::string(text)})), std::string("c\n'") + text + "\n");
  }
  EXPECT_EQ(ToCsv(OneColumn({std::string("=a,\"b\"")})), "c\n\"'=a,\"\"b\"\"\"\n");
  // A negative number is not text, so it is not escaped.
  EXPECT_EQ(ToCsv(OneColumn({Number(std::int64_t{-1})})), "c\n-1\n");
}

TEST(ToCsv, MakesOutsideTextSafe) {
  const std::string csv = ToCsv(OneColumn({std::string("\x1b[2J\xff\r")}));
  EXPECT_EQ(csv, "c\n\\x1b[2J\\xff\\x0d\n");
}

TEST(ToCsv, TakesEmptyTablesAndShortRows) {
  EXPECT_EQ(ToCsv(Table{}), "\n");
  Table table{"t", "", {{"a", ""}, {"b", ""}}, {{std::string("x")}}};
  EXPECT_EQ(ToCsv(table), "a,b\nx,\n");
}

TEST(ToMarkdown, ShowsNumbersAsTheTextDoes) {
  Table table = std::get<Table>(SampleDocument().blocks[0]);
  table.rows.pop_back();
  EXPECT_EQ(ToMarkdown(table),
            "**Clocks**\n\n"
            "| clock | cost (ns) | resolution (ns, exact) | core |\n"
            "| --- | ---: | ---: | ---: |\n"
            "| monotonic | 3,250 \\[3,040, 3,460\\] | 26 | 0 |\n"
            "| thread | 243?¹,² \\[238, 261\\] | -³ | 0.5 |\n"
            "\n¹ doubtful: outliers\n"
            "\n² 99 % confidence\n"
            "\n³ not known\n"
            "\n\\[low, high\\] at 95 %\n");
}

TEST(ToMarkdown, EscapesAllText) {
  Table table = OneColumn({std::string("a|b\\|c"), std::string("<script>alert(1)</script>&"),
                           std::string("line\nline"), std::string("[x](javascript:y) `*_~")});
  table.title = "<b>|";
  table.columns[0].name = "<i>|";
  const std::string markdown = ToMarkdown(table);
  EXPECT_THAT(markdown, HasSubstr("| a\\|b\\\\\\|c |\n"));
  EXPECT_THAT(markdown, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;&amp;"));
  EXPECT_THAT(markdown, HasSubstr("| line\\\\x0aline |\n"));
  EXPECT_THAT(markdown, HasSubstr("\\[x\\](javascript:y) \\`\\*\\_\\~"));
  EXPECT_THAT(markdown, Not(HasSubstr("<")));
}

TEST(ToMarkdown, TakesEmptyTables) {
  EXPECT_EQ(ToMarkdown(Table{}), "");
  EXPECT_EQ(ToMarkdown(OneColumn({})), "| c |\n| --- |\n");
}

}  // namespace
}  // namespace tare::report
