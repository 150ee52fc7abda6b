// count_set_test.cc: tests of count_set.h.
#include "analysis/machines/count_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/machines/count_document.h"
#include "report/json.h"

namespace tare::machines {
namespace {

using report::Cell;

Measured Mean(double value, double low, double high) {
  Measured cell;
  cell.value = value;
  cell.low = low;
  cell.high = high;
  return Doubtful(cell, "the count differs from run to run");
}

Measured Plain(double value) {
  Measured cell;
  cell.value = value;
  return cell;
}

std::vector<Cell> Row(std::string engine, std::int64_t runs, Measured count, Measured variation) {
  return {std::move(engine), Number{runs}, std::move(count), std::move(variation)};
}

report::Document Document(std::string machine, std::vector<std::vector<Cell>> rows) {
  report::Document document;
  document.version = "0.1.0";
  document.command = "count";
  document.blocks.emplace_back(report::Table{
      "counts", "", {{"engine"}, {"runs"}, {"instructions"}, {"cv"}}, std::move(rows)});
  document.provenance.machine = std::move(machine);
  document.provenance.command_line = {"tare", "count", "--", "/usr/bin/ls", "-l"};
  return document;
}

CountFile Saved(std::string name, const report::Document& document) {
  return {std::move(name), report::ToJson(document)};
}

Result<CountSet> Join(std::vector<CountFile> files) { return JoinCounts(files, "instructions"); }

std::string Refusal(std::vector<CountFile> files) {
  const auto counts = Join(std::move(files));
  return counts ? "accepted" : counts.error().message;
}

TEST(CountSet, OfCsvTakesItsColumnsInAnyOrder) {
  const auto counts = Join(
      {{"x.csv", "count,note,run,machine,benchmark\n9223372036854775807,hi,1, i7 ,gzip log\n"}});
  ASSERT_TRUE(counts) << counts.error().message;
  ASSERT_EQ(counts->rows.size(), 1);
  const CountRow& row = counts->rows[0];
  EXPECT_EQ(row.benchmark, "gzip log");
  EXPECT_EQ(row.machine, "i7");
  EXPECT_EQ(row.run, "1");
  EXPECT_EQ(row.count.whole, INT64_MAX);
  EXPECT_EQ(row.runs, 1);
  EXPECT_EQ(row.place, "x.csv, line 2");
}

TEST(CountSet, OfCsvNamesWhatIsWrong) {
  const std::string header = "benchmark,machine,run,count\n";
  EXPECT_EQ(Refusal({{"x.csv", "benchmark,machine,count\na,b,1\n"}}),
            "x.csv has no column run; its columns are benchmark, machine, count");
  EXPECT_EQ(Refusal({{"x.csv", header + "a,b,1,many\n"}}),
            "x.csv, line 2, column count: many is not a whole number");
  EXPECT_EQ(Refusal({{"x.csv", header + "a,b,1,-4\n"}}),
            "x.csv, line 2, column count: -4 is negative");
  EXPECT_EQ(Refusal({{"x.csv", header + "a, ,1,4\n"}}),
            "x.csv, line 2, column machine: the cell is empty");
  EXPECT_EQ(Refusal({{"x.csv", ""}}),
            "x.csv is empty; expected a header with the names of the columns");
}

TEST(CountSet, RefusesTheSameRunTwiceAndNamesBothPlaces) {
  const std::string header = "benchmark,machine,run,count\n";
  EXPECT_EQ(Refusal({{"x.csv", header + "a,b,1,5\na,b,2,5\n"}, {"y.csv", header + "a,b,2,6\n"}}),
            "y.csv, line 2: run 2 of a on b is already in x.csv, line 3");
  EXPECT_EQ(Refusal({{"x.csv", header + "a,b,1,5\na,c,1,5\nd,b,1,5\n"}}), "accepted");
}

TEST(CountSet, OfDocumentsCallsMachinesByTheirEnginesWhereThereIsOneMachine) {
  const auto counts =
      Join({Saved("a.json", Document("vm", {Row("valgrind", 2, Exact(10), Plain(0)),
                                            Row("qemu", 2, Exact(12), Plain(0))}))});
  ASSERT_TRUE(counts) << counts.error().message;
  ASSERT_EQ(counts->rows.size(), 2);
  EXPECT_EQ(counts->rows[0].machine, "valgrind");
  EXPECT_EQ(counts->rows[1].machine, "qemu");
  EXPECT_EQ(counts->rows[0].benchmark, "ls -l");
  EXPECT_EQ(counts->rows[0].runs, 2);
  EXPECT_EQ(counts->rows[0].deviation, 0);
  EXPECT_EQ(counts->rows[1].count.whole, 12);
}

TEST(CountSet, OfDocumentsOfSeveralMachinesSaysWhich) {
  const auto row = [](std::string engine, std::int64_t count) {
    return Row(std::move(engine), 1, Exact(count), Absent("one run"));
  };
  const auto one = Join(
      {Saved("a", Document("vm", {row("qemu", 1)})), Saved("b", Document("pi", {row("qemu", 1)}))});
  EXPECT_EQ(one->rows[0].machine, "vm");
  EXPECT_EQ(one->rows[1].machine, "pi");
  const auto several = Join({Saved("a", Document("vm", {row("qemu", 1), row("step", 2)})),
                             Saved("b", Document("pi", {row("qemu", 1)}))});
  EXPECT_EQ(several->rows[1].machine, "vm step");
  EXPECT_EQ(several->rows[2].machine, "pi qemu");
}

TEST(CountSet, MixesDocumentsAndTables) {
  const auto counts = Join({Saved("a.json", Document("vm", {Row("qemu", 1, Exact(1), Plain(0))})),
                            {"x.csv", "benchmark,machine,run,count\nls -l,i7,1,7\n"}});
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_EQ(counts->rows[0].machine, "vm");
  EXPECT_EQ(counts->rows[1].machine, "i7");
  EXPECT_EQ(counts->rows[0].benchmark, counts->rows[1].benchmark);
}

TEST(CountSet, TakesTheDeviationFromAnyFieldThatHasIt) {
  // cv 0.1 of a mean of 100.5.
  auto document = Document("vm", {Row("qemu", 5, Mean(100.5, 90, 110), Plain(0.1))});
  auto counts = Join({Saved("a", document)});
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_EQ(counts->rows[0].count.whole, 100);
  EXPECT_EQ(counts->rows[0].count.rest, 0.5);
  EXPECT_NEAR(counts->rows[0].deviation, 10.05, 1e-12);
  EXPECT_EQ(counts->rows[0].doubt, "");
  document.blocks.emplace_back(
      report::Table{"spread",
                    "",
                    {{"engine"}, {"metric"}, {"sd"}},
                    {{std::string("qemu"), std::string("loads"), Plain(3)},
                     {std::string("qemu"), std::string("instructions"), Plain(7)}}});
  counts = Join({Saved("a", document)});
  EXPECT_EQ(counts->rows[0].deviation, 7);
  // Two runs are fully described by their minimum and maximum.
  counts = Join({Saved("a", Document("vm", {Row("qemu", 2, Mean(3, 2, 4), Absent("no"))}))});
  EXPECT_NEAR(counts->rows[0].deviation, 1.41421356, 1e-8);
  EXPECT_EQ(Refusal({Saved("a", Document("vm", {Row("qemu", 3, Mean(3, 2, 4), Absent("no"))}))}),
            "a, engine qemu: the spread of instructions over the runs is not saved; count again "
            "with --json");
}

TEST(CountSet, PassesOverEnginesWithoutACountAndKeepsDoubt) {
  const auto counts = Join({Saved(
      "a",
      Document("vm", {Row("kernel", 1, Absent("counts none"), Absent("one run")),
                      Row("hardware", 1, Doubtful(Exact(5), "interrupts"), Absent("one run"))}))});
  ASSERT_EQ(counts->rows.size(), 1);
  EXPECT_EQ(counts->rows[0].machine, "hardware");
  EXPECT_EQ(counts->rows[0].doubt, "interrupts");
}

TEST(CountSet, RefusesDocumentsWithoutCounts) {
  auto other = Document("vm", {});
  other.command = "timer";
  EXPECT_EQ(Refusal({Saved("a.json", other)}),
            "a.json is a document of tare timer without counts; save counts with: tare count "
            "--save FILE -- PROGRAM");
  EXPECT_EQ(Refusal({Saved("a.json", Document("vm", {Row("qemu", 1, Absent("no"), Plain(0))}))}),
            "a.json: no engine counted instructions");
  const auto document = Document("vm", {Row("qemu", 1, Exact(1), Plain(0))});
  EXPECT_EQ(JoinCounts(std::vector{Saved("a.json", document)}, "instruction").error().message,
            "a.json has no counts of instruction; did you mean instructions?");
  EXPECT_EQ(Refusal({Saved("a.json", document), Saved("b.json", document)}),
            "a.json and b.json are the same document");
  EXPECT_TRUE(Refusal({{"a.json", "{\"x\": 1}"}}).starts_with("a.json: "));
  EXPECT_TRUE(Refusal({{"a.json", "{"}}).starts_with("a.json: "));
  EXPECT_EQ(Refusal({Saved("a.json", Document("vm", {Row("qemu", 0, Exact(1), Plain(0))}))}),
            "a.json, engine qemu: expected a count from 0 to 2^63, over 1 to 1000000000 runs");
  EXPECT_EQ(Refusal({Saved("a.json", Document("vm", {Row("qemu", 1, Exact(-1), Plain(0))}))}),
            "a.json, engine qemu: expected a count from 0 to 2^63, over 1 to 1000000000 runs");
  EXPECT_EQ(Refusal({Saved("a.json", Document("vm", {Row("qemu", 1, Plain(1e19), Plain(0))}))}),
            "a.json, engine qemu: expected a count from 0 to 2^63, over 1 to 1000000000 runs");
}

TEST(CountSet, NeedsAFile) {
  EXPECT_EQ(ReadCounts({}, "instructions").error().kind, ErrorKind::kUsage);
  const std::vector<std::filesystem::path> none = {"/nonexistent.csv"};
  EXPECT_EQ(ReadCounts(none, "instructions").error().kind, ErrorKind::kIo);
}

TEST(BenchmarkName, SaysWhatIsCountedOfIt) {
  auto document = Document("vm", {});
  EXPECT_EQ(BenchmarkOf(document), "ls -l");
  document.provenance.settings = {{"region", "main"}};
  EXPECT_EQ(BenchmarkOf(document), "ls -l (in main)");
  document.provenance.settings = {{"children", "true"}};
  EXPECT_EQ(BenchmarkOf(document), "ls -l (with children)");
  document.provenance.command_line.clear();
  document.title = "Counts of ls";
  document.provenance.settings.clear();
  EXPECT_EQ(BenchmarkOf(document), "Counts of ls");
}

}  // namespace
}  // namespace tare::machines
