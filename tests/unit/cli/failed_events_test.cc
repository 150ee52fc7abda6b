// failed_events_test.cc: tests which numbers of a document a failed self-test makes doubtful.
#include "cli/failed_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare::cli {
namespace {

CountedBy Counters() { return {{"hardware", "kernel"}}; }

pmu::EventVerdicts Failed() {
  pmu::EventVerdicts verdicts;
  verdicts.events = {{"hardware", "branch-misses", false, "0 instead of 5"},
                     {"kernel", "page-faults", false, "2 instead of 1"},
                     {"valgrind", "loads", false, "3 instead of 4"},
                     {"hardware", "instructions", true, ""}};
  return verdicts;
}

Verdict VerdictAt(const report::Document& document, std::size_t row, std::size_t column) {
  const auto& table = std::get<report::Table>(document.blocks.at(0));
  return std::get<Measured>(table.rows.at(row).at(column)).verdict;
}

TEST(MarkFailedEvents, MarksRowsOfTheSourceThatFailed) {
  report::Document document;
  document.blocks.emplace_back(report::Table{
      "events",
      "",
      {{"engine"}, {"event"}, {"count"}},
      {{std::string("hardware"), std::string("branch-misses"), Exact(1)},
       {std::string("valgrind"), std::string("branch-misses"), Exact(1)},
       {std::string("requested"), std::string("page-faults"), Exact(1)},
       {std::string("hardware"), std::string("instructions"), Exact(1)},
       {std::string("hardware"), std::string("branch-misses"), Absent("no counter")}}});
  MarkFailedEvents(document, Failed(), Counters());
  EXPECT_EQ(VerdictAt(document, 0, 2), Verdict::kDoubtful);
  EXPECT_EQ(VerdictAt(document, 1, 2), Verdict::kValid);
  EXPECT_EQ(VerdictAt(document, 2, 2), Verdict::kDoubtful);
  EXPECT_EQ(VerdictAt(document, 3, 2), Verdict::kValid);
  const auto& row = std::get<report::Table>(document.blocks[0]).rows[0];
  EXPECT_THAT(std::get<Measured>(row[2]).reason,
              testing::HasSubstr("branch-misses of hardware counts 0 instead of 5"));
  ASSERT_EQ(document.caveats.size(), 2U);
  EXPECT_EQ(document.caveats[0].id, "failed-self-test");
}

TEST(MarkFailedEvents, MarksColumnsOfTheSourceThatFailed) {
  report::Document document;
  document.blocks.emplace_back(report::Table{
      "counts",
      "",
      {{"engine"}, {"loads"}, {"stores"}},
      {{std::string("valgrind"), Exact(1), Exact(1)}, {std::string("qemu"), Exact(1), Exact(1)}}});
  MarkFailedEvents(document, Failed(), Counters());
  EXPECT_EQ(VerdictAt(document, 0, 1), Verdict::kDoubtful);
  EXPECT_EQ(VerdictAt(document, 0, 2), Verdict::kValid);
  EXPECT_EQ(VerdictAt(document, 1, 1), Verdict::kValid);
}

TEST(MarkFailedEvents, PlotsAreMarkedLikeTheirTables) {
  report::Document document;
  report::Bars bars{"counts_plot", "", "", {"valgrind", "qemu"}, {}};
  bars.bars = {{"loads", {Exact(1), Exact(1)}}, {"stores", {Exact(1), Absent("not counted")}}};
  document.blocks.emplace_back(bars);
  report::Series series{"signals", "", {"time"}, false, {}};
  series.lines = {{"loads", "", {0}, {1}, {}, {}}, {"stores", "", {0}, {1}, {}, {}}};
  document.blocks.emplace_back(series);
  document.blocks.emplace_back(
      report::Tree{"calls", "", {{"loads"}}, {{"main", {}, {{"f", {Exact(1)}, {}}}}}});
  MarkFailedEvents(document, Failed(),
                   {{"valgrind", "qemu"}, {{"signals", {"valgrind"}}, {"calls", {"valgrind"}}}});
  const auto& marked = std::get<report::Bars>(document.blocks[0]).bars;
  EXPECT_EQ(marked[0].values[0].verdict, Verdict::kDoubtful);
  EXPECT_EQ(marked[0].values[1].verdict, Verdict::kValid);
  EXPECT_EQ(marked[1].values[0].verdict, Verdict::kValid);
  const auto& lines = std::get<report::Series>(document.blocks[1]).lines;
  EXPECT_EQ(lines[0].verdict, Verdict::kDoubtful);
  EXPECT_THAT(lines[0].reason, testing::HasSubstr("counts 3 instead of 4"));
  EXPECT_FALSE(lines[1].verdict.has_value());
  const auto& leaf = std::get<report::Tree>(document.blocks[2]).roots[0].children[0];
  EXPECT_EQ(std::get<Measured>(leaf.cells[0]).verdict, Verdict::kDoubtful);
  EXPECT_EQ(document.caveats.size(), 1U);
}

TEST(MarkFailedEvents, WithoutAColumnForItTheSourceIsThatOfTheCommand) {
  report::Document document;
  document.blocks.emplace_back(
      report::Table{"inner",
                    "",
                    {{"first"}, {"second"}, {"change"}},
                    {{std::string("cycles"), std::string("branch-misses"), Exact(1)},
                     {std::string("cycles"), std::string("loads"), Exact(1)}}});
  MarkFailedEvents(document, Failed(), Counters());
  EXPECT_EQ(VerdictAt(document, 0, 2), Verdict::kDoubtful);
  EXPECT_EQ(VerdictAt(document, 1, 2), Verdict::kValid);
}

TEST(MarkFailedEvents, PrefixesOfAProxyStateTheSource) {
  report::Document document;
  document.blocks.emplace_back(report::Table{"ratios",
                                             "",
                                             {{"metric"}, {"ratio"}},
                                             {{std::string("hardware-branch-misses"), Exact(1)},
                                              {std::string("branch-misses"), Exact(1)},
                                              {std::string("loads"), Exact(1)}}});
  MarkFailedEvents(document, Failed(), {{"valgrind"}});
  EXPECT_EQ(VerdictAt(document, 0, 1), Verdict::kDoubtful);
  EXPECT_EQ(VerdictAt(document, 1, 1), Verdict::kValid);
  EXPECT_EQ(VerdictAt(document, 2, 1), Verdict::kDoubtful);
}

TEST(MarkFailedEvents, RowsOfACheckAreMarkedWithTheirVerdict) {
  report::Document document;
  document.blocks.emplace_back(report::Table{
      "verdicts",
      "",
      {{"what"}, {"value"}, {"verdict"}, {"source"}},
      {{std::string("loads"), Exact(1), std::string("valid"), std::string("valgrind, 2 runs")},
       {std::string("loads"), Exact(1), std::string("valid"), std::string("qemu, 2 runs")}}});
  MarkFailedEvents(document, Failed(), {{"valgrind", "qemu"}});
  const auto& table = std::get<report::Table>(document.blocks[0]);
  EXPECT_EQ(VerdictAt(document, 0, 1), Verdict::kDoubtful);
  EXPECT_EQ(std::get<std::string>(table.rows[0][2]), "doubtful");
  EXPECT_EQ(VerdictAt(document, 1, 1), Verdict::kValid);
  EXPECT_EQ(std::get<std::string>(table.rows[1][2]), "valid");
}

TEST(MarkFailedEvents, ColumnsWithoutASourceAreMarkedIfThereIsOneSource) {
  report::Document document;
  document.blocks.emplace_back(report::Table{"functions",
                                             "",
                                             {{"function"}, {"loads"}, {"stores"}},
                                             {{std::string("main"), Exact(1), Exact(1)}}});
  MarkFailedEvents(document, Failed(), {{"valgrind", "qemu"}});
  EXPECT_EQ(VerdictAt(document, 0, 1), Verdict::kValid);
  MarkFailedEvents(document, Failed(), {{"valgrind", "qemu"}, {{"functions", {"valgrind"}}}});
  EXPECT_EQ(VerdictAt(document, 0, 1), Verdict::kDoubtful);
  EXPECT_EQ(VerdictAt(document, 0, 2), Verdict::kValid);
}

TEST(MarkFailedEvents, NeededEventsMakeAllNumbersDoubtful) {
  report::Document document;
  document.blocks.emplace_back(
      report::Table{"hits", "", {{"block"}, {"l1"}}, {{std::string("b"), Exact(1)}}});
  document.blocks.emplace_back(
      report::Table{"machines", "", {{"level"}, {"size"}}, {{std::string("L1"), Exact(1)}}});
  MarkFailedEvents(document, Failed(), {{"valgrind"}, {{"machines", {}}}, {"stores"}});
  EXPECT_EQ(VerdictAt(document, 0, 1), Verdict::kValid);
  MarkFailedEvents(document, Failed(), {{"valgrind"}, {{"machines", {}}}, {"loads"}});
  EXPECT_EQ(VerdictAt(document, 0, 1), Verdict::kDoubtful);
  const auto& machines = std::get<report::Table>(document.blocks[1]);
  EXPECT_EQ(std::get<Measured>(machines.rows[0][1]).verdict, Verdict::kValid);
  ASSERT_EQ(document.caveats.size(), 1U);
}

}  // namespace
}  // namespace tare::cli
