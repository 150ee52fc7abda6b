// count_tables_test.cc: tests that the finding, the counts and the ledger agree with each other.
#include "cli/commands/count/count_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>

#include "report/text.h"

namespace tare::cli {
namespace {

using count::Metric;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

count::EngineCounts CountsOf(engine::Engine engine,
                             std::initializer_list<std::uint64_t> instructions) {
  count::EngineCounts counts;
  counts.engine = engine;
  for (const std::uint64_t run : instructions) {
    count::MetricCounts metrics;
    metrics.Add(Metric::kInstructions, run);
    metrics.Add(Metric::kLoads, 100);
    counts.runs.push_back(metrics);
  }
  counts.tally.total = counts.runs.front();
  return counts;
}

// The ledger is that of the first runs, in which all of the difference has a known cause.
count::CountReport ReportOf(count::EngineCounts reference, count::EngineCounts other) {
  count::CountReport report;
  const auto total = static_cast<std::int64_t>(other.runs.front()[Metric::kInstructions]) -
                     static_cast<std::int64_t>(reference.runs.front()[Metric::kInstructions]);
  report.engines = {std::move(reference), std::move(other)};
  report.reference = 0;
  report.ledgers.resize(2);
  report.ledgers[1].total = total;
  if (total != 0) report.ledgers[1].entries = {{count::Cause::kStartUp, total, 1, "ld.so:_start"}};
  return report;
}

std::string Finding(const count::CountReport& report) {
  return CountSummary(report, std::nullopt, count::RepConvention::kOnce);
}

Measured LedgerTotal(const count::CountReport& report) {
  const auto table = LedgerTable(report, count::RepConvention::kOnce);
  return std::get<Measured>(table.rows.at(0).at(3));
}

TEST(CountSummary, TheDifferenceOfCountsThatVaryIsThatOfTheirMeans) {
  // The first run of qemu counts 8,000 more; its mean, which the table shows, is 4,000 lower.
  const auto report = ReportOf(CountsOf(engine::Engine::kValgrind, {100'000, 108'000}),
                               CountsOf(engine::Engine::kQemu, {108'000, 92'000}));
  EXPECT_THAT(Finding(report),
              HasSubstr("qemu counts 4,000 fewer on average, within the variation of the runs."));
  EXPECT_THAT(Finding(report), Not(HasSubstr("explained")));
  const Measured difference = DifferenceFromReference(report, 1);
  EXPECT_FALSE(difference.exact);
  EXPECT_EQ(difference.verdict, Verdict::kDoubtful);
  EXPECT_DOUBLE_EQ(difference.Value(), -4000);
  EXPECT_DOUBLE_EQ(difference.Low(), -16'000);
  EXPECT_DOUBLE_EQ(difference.High(), 8000);
  const Measured total = LedgerTotal(report);
  EXPECT_FALSE(total.exact);
  EXPECT_EQ(total.verdict, Verdict::kDoubtful);
  EXPECT_EQ(total.reason, "of the first run of both; other runs differ");
}

TEST(CountSummary, ADifferenceLargerThanTheVariationIsSaidToBe) {
  const auto report = ReportOf(CountsOf(engine::Engine::kValgrind, {100'000, 101'000}),
                               CountsOf(engine::Engine::kQemu, {120'000, 120'000}));
  EXPECT_THAT(Finding(report),
              HasSubstr("qemu counts 19,500 more on average, beyond the variation of the runs."));
}

TEST(CountSummary, TheDifferenceOfCountsThatRepeatIsExact) {
  const auto report = ReportOf(CountsOf(engine::Engine::kValgrind, {100'000, 100'000}),
                               CountsOf(engine::Engine::kQemu, {108'270}));
  EXPECT_THAT(Finding(report), HasSubstr("qemu counts 8,270 more, all of them explained."));
  EXPECT_EQ(DifferenceFromReference(report, 1), Exact(8270));
  EXPECT_EQ(LedgerTotal(report), Exact(8270));
}

TEST(CountSummary, WithoutEnginesSaysWhatWasCountedNatively) {
  count::CountReport report;
  count::NativeCounts native;
  const auto add = [&](std::string metric, std::string unit, std::uint64_t value) {
    pmu::MetricCount counted;
    counted.metric = std::move(metric);
    counted.unit = std::move(unit);
    counted.count.value = value;
    native.kernel.push_back(std::move(counted));
  };
  add("task-clock", "ns", 684'100);
  add("page-faults", "", 49);
  report.native_runs = {native};
  EXPECT_THAT(Finding(report),
              StartsWith("684 µs of processor time, 49 page faults in one native run. "));
  report.native_runs.push_back(native);
  EXPECT_THAT(Finding(report), HasSubstr("49 page faults, means of 2 native runs. "));
  add("context-switches", "", 1);
  report.native_runs = {native};
  EXPECT_THAT(Finding(report), HasSubstr("49 page faults, 1 context switch in one native run. "));
}

TEST(CountSummary, EnginesAgreeOnlyIfAllTheirRunsDo) {
  const auto agree = ReportOf(CountsOf(engine::Engine::kValgrind, {100'000, 100'000}),
                              CountsOf(engine::Engine::kQemu, {100'000}));
  EXPECT_THAT(Finding(agree), HasSubstr("2 independent engines agree on every metric."));
  const auto differ = ReportOf(CountsOf(engine::Engine::kValgrind, {100'000, 100'000}),
                               CountsOf(engine::Engine::kQemu, {100'000, 100'010}));
  EXPECT_THAT(Finding(differ), Not(HasSubstr("agree")));
}

TEST(MeanCell, WhatDiffersFromRunToRunMakesOnlyItselfDoubtful) {
  auto counts = CountsOf(engine::Engine::kValgrind, {100'000, 101'000});
  counts.caveats = {{CaveatId::kNotRepeatable, "valgrind: 1 function"}};
  EXPECT_EQ(MeanCell(counts, Metric::kInstructions).verdict, Verdict::kDoubtful);
  EXPECT_FALSE(MeanCell(counts, Metric::kInstructions).exact);
  EXPECT_EQ(MeanCell(counts, Metric::kLoads), Exact(100));
}

}  // namespace
}  // namespace tare::cli
