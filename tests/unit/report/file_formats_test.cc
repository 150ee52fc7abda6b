// file_formats_test.cc: tests typed columns, Parquet, SQLite, times and gates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "base/private_directory.h"
#include "report/gate_export.h"
#include "report/parquet.h"
#include "report/sqlite_file.h"
#include "report/thrift_compact.h"
#include "report/timing_export.h"
#include "report/typed_columns.h"

namespace tare::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> NamesOf(const TypedTable& table) {
  std::vector<std::string> names;
  for (const TypedColumn& column : table.columns) names.push_back(column.name);
  return names;
}

TEST(TypedColumns, SplitsMeasuredNumbersAndSeparatesTexts) {
  const Table table{
      "t",
      "",
      {{"name"}, {"v", "s"}, {"mixed"}},
      {{"a", Between(2, 1, 3, 0.95), Number(std::int64_t{4})}, {"b", Absent("why"), "x"}}};
  const TypedTable typed = TypedColumns(table);
  EXPECT_THAT(NamesOf(typed), ElementsAre("name", "v", "v_low", "v_high", "v_unit", "v_verdict",
                                          "v_reason", "mixed", "mixed_text"));
  const auto& values = std::get<TypedColumn::Real>(typed.columns[1].values);
  EXPECT_EQ(values[0], 2.0);
  EXPECT_EQ(values[1], std::nullopt);
}

TEST(TypedColumns, ExactCountsStayWhole) {
  const Table table{"t", "", {{"n"}}, {{Exact(9007199254740993)}}};
  const TypedTable typed = TypedColumns(table);
  EXPECT_EQ(std::get<TypedColumn::Whole>(typed.columns[0].values)[0], 9007199254740993);
}

TEST(TypedColumns, NamesDifferAlsoWithoutCase) {
  const Table table{"t", "", {{"n"}, {"N"}, {""}}, {{"a", "b", "c"}}};
  EXPECT_THAT(NamesOf(TypedColumns(table)), ElementsAre("n", "N_2", "value"));
}

TEST(AppendRows, FillsWhatATableLacks) {
  TypedTable table = TypedColumns({"t", "", {{"a"}}, {{Number(std::int64_t{1})}}});
  AppendRows(table, TypedColumns({"t", "", {{"a"}, {"b"}}, {{Number(0.5), "x"}}}));
  EXPECT_EQ(table.rows, 2u);
  const auto& a = std::get<TypedColumn::Real>(table.columns[0].values);
  EXPECT_THAT(a, ElementsAre(1.0, 0.5));
  const auto& b = std::get<TypedColumn::Texts>(table.columns[1].values);
  EXPECT_THAT(b, ElementsAre(std::nullopt, "x"));
}

// The header of field 1 of type i32 is 0x15; 1 is 2 in zigzag.
TEST(ThriftWriter, WritesTheCompactProtocol) {
  ThriftWriter writer;
  writer.Whole(1, 1);
  writer.Text(4, "ab");
  EXPECT_EQ(writer.Take(), std::string("\x15\x02\x38\x02"
                                       "ab\0",
                                       7));
}

TEST(Parquet, StartsAndEndsWithItsMagicAndLeavesNoTemporaryFile) {
  const auto directory = PrivateDirectory::Make().value();
  const auto path = directory.path() / "t.parquet";
  const TypedTable table = TypedColumns({"t", "", {{"a"}}, {{Number(std::int64_t{1})}}});
  ASSERT_TRUE(WriteParquet(path, table, {}).has_value());
  const std::string bytes = ReadFile(path, 1 << 20).value();
  EXPECT_TRUE(bytes.starts_with("PAR1"));
  EXPECT_TRUE(bytes.ends_with("PAR1"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST(Parquet, AMissingDirectoryIsAnError) {
  EXPECT_FALSE(WriteParquet("/nonexistent/x.parquet", {}, {}).has_value());
}

Document Comparison(const Measured& ratio) {
  Document document;
  document.title = "Comparison";
  document.command = "compare";
  document.provenance.settings["gate"] = "2%";
  document.blocks.emplace_back(
      Table{"comparison", "", {{"command"}, {"ratio"}}, {{"a", Known(1)}, {"b, <x>", ratio}}});
  document.blocks.emplace_back(
      Table{"samples",
            "",
            {{"command"}, {"time", "s"}},
            {{"a", Unbounded(1)}, {"a", Unbounded(3)}, {"b", Unbounded(2)}}});
  return document;
}

GateOutcome OutcomeOf(const Measured& ratio) {
  return GateCases({"", Comparison(ratio)}).at(0).outcome;
}

TEST(GateCases, CompareTheIntervalWithTheLimit) {
  EXPECT_EQ(OutcomeOf(Between(1.1, 1.05, 1.2, 0.95)), GateOutcome::kFailed);
  EXPECT_EQ(OutcomeOf(Between(1.0, 0.95, 1.01, 0.95)), GateOutcome::kPassed);
  EXPECT_EQ(OutcomeOf(Between(1.0, 0.95, 1.05, 0.95)), GateOutcome::kUndecided);
  EXPECT_EQ(OutcomeOf(Unbounded(1.5)), GateOutcome::kUndecided);
}

TEST(Gates, AreWrittenAsJUnitAndAnnotations) {
  const PageResult result{"", Comparison(Between(1.1, 1.05, 1.2, 0.95))};
  const std::string xml = ToJUnit({&result, 1});
  EXPECT_THAT(xml, HasSubstr("failures=\"1\""));
  EXPECT_THAT(xml, HasSubstr("name=\"b, &lt;x&gt;\""));
  EXPECT_THAT(ToGithubAnnotations({&result, 1}),
              HasSubstr("::error title=Comparison::b, <x>: slower by more than 2 %25: ratio"));
}

TEST(Times, AreWrittenForBothTools) {
  const PageResult result{"", Comparison(Unbounded(1))};
  const std::string hyperfine = ToHyperfine({&result, 1}).value();
  EXPECT_THAT(hyperfine, HasSubstr("\"mean\": 2.0"));
  EXPECT_THAT(hyperfine, HasSubstr("\"times\": [1.0, 3.0]"));
  EXPECT_THAT(ToGoogleBenchmark({&result, 1}).value(), HasSubstr("\"name\": \"a_median\""));
}

TEST(Times, AResultWithoutThemIsRefused) {
  const PageResult result{"x.json", {}};
  EXPECT_EQ(ToHyperfine({&result, 1}).error().message,
            "x.json: has no times of runs; use a result of tare compare");
}

}  // namespace
}  // namespace tare::report
