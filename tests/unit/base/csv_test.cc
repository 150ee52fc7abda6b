// csv_test.cc: tests of csv.h.
#include "base/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/file.h"

namespace tare {
namespace {

using ::testing::ElementsAre;

std::string Refusal(std::string_view text) {
  const auto table = ParseCsv(text, "x.csv");
  if (table) return "accepted";
  EXPECT_EQ(table.error().kind, ErrorKind::kFormat);
  return table.error().message;
}

TEST(Csv, HasAHeaderAndCells) {
  const CsvTable table = *ParseCsv("a,b\n1,two\n,x y\n", "x.csv");
  EXPECT_THAT(table.Columns(), ElementsAre("a", "b"));
  ASSERT_EQ(table.Rows(), 2);
  EXPECT_EQ(table.Cell(0, 0), "1");
  EXPECT_EQ(table.Cell(0, 1), "two");
  EXPECT_EQ(table.Cell(1, 0), "");
  EXPECT_EQ(table.Cell(1, 1), "x y");
  EXPECT_EQ(table.Place(1), "x.csv, line 3");
}

TEST(Csv, MayEndWithoutALineFeedAndHaveEmptyLines) {
  const CsvTable table = *ParseCsv("\n\na,b\n\n1,2\n\n\n3,4", "x.csv");
  ASSERT_EQ(table.Rows(), 2);
  EXPECT_EQ(table.Line(0), 5);
  EXPECT_EQ(table.Line(1), 8);
  EXPECT_EQ(table.Cell(1, 1), "4");
}

TEST(Csv, TableWithoutALastLineEndIsDoubtful) {
  EXPECT_EQ(ParseCsv("a,b\n1,2\n", "x.csv")->CutDoubt(), "");
  EXPECT_EQ(ParseCsv("a,b\r\n1,2\r\n", "x.csv")->CutDoubt(), "");
  EXPECT_EQ(ParseCsv("a,b\n1,2", "x.csv")->CutDoubt(),
            "x.csv ends without a line end, so its last number may be cut off");
}

TEST(Csv, MayComeFromWindows) {
  const CsvTable table = *ParseCsv("\xEF\xBB\xBF\"a\",b\r\n1,\"2\"\r\n3,4\r\n", "x.csv");
  EXPECT_THAT(table.Columns(), ElementsAre("a", "b"));
  ASSERT_EQ(table.Rows(), 2);
  EXPECT_EQ(table.Cell(0, 1), "2");
  EXPECT_EQ(table.Cell(1, 1), "4");
}

TEST(Csv, QuotedCellsMayContainCommasQuotesAndLines) {
  const CsvTable table = *ParseCsv("a,b\n\"x, \"\"y\"\"\nz\",\"\"\n1,2\n", "x.csv");
  ASSERT_EQ(table.Rows(), 2);
  EXPECT_EQ(table.Cell(0, 0), "x, \"y\"\nz");
  EXPECT_EQ(table.Cell(0, 1), "");
  EXPECT_EQ(table.Line(1), 4);
}

TEST(Csv, NamesTheLineOfWhatIsWrong) {
  EXPECT_EQ(Refusal("a,b\n1,2\n\"x\ny\"\n"), "x.csv, line 3: 1 cell, but the header has 2");
  EXPECT_EQ(Refusal("a,b\n1\n"), "x.csv, line 2: 1 cell, but the header has 2");
  EXPECT_EQ(Refusal("a,b\n1,2,3\n"), "x.csv, line 2: more cells than the 2 columns of the header");
  EXPECT_EQ(Refusal("a,b\n1,\"2\n3,4\n"), "x.csv, line 2: unterminated quote");
  EXPECT_EQ(Refusal("a,b\n1,x\"y\n"),
            "x.csv, line 2: quote inside a cell; put quotes around the whole cell");
  EXPECT_EQ(Refusal("a,b\n\"1\n2\"x,3\n"),
            "x.csv, line 3: text follows a closed quote; a quote inside quotes is written twice: "
            "\"\"");
  EXPECT_EQ(Refusal(std::string_view("a,b\n1,\0\n", 8)),
            "x.csv, line 2: zero byte; this is not a text file");
}

TEST(Csv, RefusesWhatHasNoRows) {
  EXPECT_EQ(Refusal(""), "x.csv is empty; expected a header with the names of the columns");
  EXPECT_EQ(Refusal("\n\r\n"), Refusal(""));
  EXPECT_EQ(Refusal("\xEF\xBB\xBF"), Refusal(""));
  EXPECT_EQ(Refusal("a,b\n"), "x.csv has a header but no rows");
  EXPECT_EQ(Refusal("a,b"), "x.csv has a header but no rows");
}

TEST(Csv, RefusesHeadersThatMeanNothing) {
  EXPECT_EQ(Refusal("a,b, a\n1,2,3\n"), "x.csv, line 1: two columns are named a");
  EXPECT_EQ(Refusal("a,,\n1,2,3\n"), "x.csv, line 1: two columns have no name");
  EXPECT_EQ(Refusal(std::string(1 << 20, ',')), "x.csv, line 1: more than 10000 columns");
  EXPECT_EQ(Refusal("a;b\n1;2\n"),
            "x.csv, line 1: separate columns by commas, not by semicolons or tabs");
  EXPECT_EQ(Refusal("a\tb\n1\t2\n"), Refusal("a;b\n1;2\n"));
}

TEST(Csv, FindsColumnsInAnyOrder) {
  const CsvTable table = *ParseCsv(" count ,other,machine\n1,2,3\n", "x.csv");
  constexpr auto kNames = std::to_array<std::string_view>({"machine", "count"});
  EXPECT_THAT(*table.FindColumns(kNames), ElementsAre(2, 0));
  EXPECT_TRUE(table.HasColumn("other"));
  EXPECT_FALSE(table.HasColumn("runs"));
}

TEST(Csv, SaysWhichColumnsThereAreWhenOneIsMissing) {
  const CsvTable table = *ParseCsv("Machine,counts,x\n1,2,3\n", "x.csv");
  constexpr auto kCount = std::to_array<std::string_view>({"count"});
  constexpr auto kBenchmark = std::to_array<std::string_view>({"benchmark"});
  EXPECT_EQ(table.FindColumns(kCount).error().message,
            "x.csv has no column count; its columns are Machine, counts, x; did you mean counts?");
  EXPECT_EQ(table.FindColumns(kBenchmark).error().message,
            "x.csv has no column benchmark; its columns are Machine, counts, x");
}

TEST(Csv, ChecksRequiredColumnsBeforeRows) {
  constexpr auto kNeeded = std::to_array<std::string_view>({"count"});
  EXPECT_EQ(ParseCsv("root:x:0\na,b\n", "x.csv", kNeeded).error().message,
            "x.csv has no column count; its columns are root:x:0");
  EXPECT_TRUE(ParseCsv("count\n1\n", "x.csv", kNeeded));
}

TEST(CsvNumber, IsReadInFull) {
  const CsvTable table =
      *ParseCsv("n\n9223372036854775807\n-9223372036854775808\n +7 \n\"12\"\n-0.5e3\n", "x.csv");
  EXPECT_EQ(*table.WholeNumber(0, 0), INT64_MAX);
  EXPECT_EQ(*table.WholeNumber(1, 0), INT64_MIN);
  EXPECT_EQ(*table.WholeNumber(2, 0), 7);
  EXPECT_EQ(*table.WholeNumber(3, 0), 12);
  EXPECT_EQ(*table.Number(2, 0), 7);
  EXPECT_EQ(*table.Number(4, 0), -500);
}

std::string NotWhole(std::string_view cell) {
  const std::string text = "run,count\n1," + std::string(cell) + "\n";
  const CsvTable table = *ParseCsv(text, "x.csv");
  const auto number = table.WholeNumber(0, 1);
  return number ? "accepted" : number.error().message;
}

TEST(CsvNumber, ErrorsShowTheCell) {
  EXPECT_EQ(NotWhole("many"), "x.csv, line 2, column count: many is not a whole number");
  EXPECT_EQ(NotWhole(""), "x.csv, line 2, column count: the cell is empty");
  EXPECT_EQ(NotWhole("1.5"), "x.csv, line 2, column count: 1.5 is not a whole number");
  EXPECT_EQ(NotWhole("1e9"), "x.csv, line 2, column count: 1e9 is not a whole number");
  EXPECT_EQ(NotWhole("+-1"), "x.csv, line 2, column count: +-1 is not a whole number");
  EXPECT_EQ(NotWhole("+"), "x.csv, line 2, column count: + is not a whole number");
  EXPECT_EQ(NotWhole("0x10"), "x.csv, line 2, column count: 0x10 is not a whole number");
  EXPECT_EQ(NotWhole("9223372036854775808"),
            "x.csv, line 2, column count: 9223372036854775808 is not a whole number below 2^63");
  EXPECT_EQ(NotWhole("\"1,234,567\""),
            "x.csv, line 2, column count: 1,234,567 is not a whole number; write it without "
            "thousands separators");
  EXPECT_EQ(NotWhole("1 234"),
            "x.csv, line 2, column count: 1 234 is not a whole number; write it without "
            "thousands separators");
}

TEST(CsvNumber, IsFinite) {
  const CsvTable table = *ParseCsv("n\nnan\ninf\n1e999\n1x\n", "x.csv");
  for (std::size_t row = 0; row < table.Rows(); ++row) {
    EXPECT_FALSE(table.Number(row, 0)) << table.Cell(row, 0);
  }
  EXPECT_EQ(table.Number(3, 0).error().message, "x.csv, line 5, column n: 1x is not a number");
}

TEST(Csv, EscapesTerminalSequences) {
  const std::string long_text(100, 'x');
  EXPECT_EQ(NotWhole("\x1b[31m"), "x.csv, line 2, column count: \\x1b[31m is not a whole number");
  EXPECT_EQ(NotWhole(long_text), "x.csv, line 2, column count: " + long_text.substr(0, 40) +
                                     "... is not a whole number");
}

TEST(Csv, IsReadFromAFile) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "tare_csv_test.csv";
  ASSERT_TRUE(WriteFileAtomically(path, "a\n1\n"));
  EXPECT_EQ(ReadCsv(path, 100)->Rows(), 1);
  EXPECT_EQ(ReadCsv(path, 2).error().kind, ErrorKind::kFormat);
  std::filesystem::remove(path);
  EXPECT_EQ(ReadCsv(path, 100).error().kind, ErrorKind::kIo);
}

}  // namespace
}  // namespace tare
