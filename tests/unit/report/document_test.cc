// document_test.cc: tests building a document and finding its parts.
#include "report/document.h"

#include <gtest/gtest.h>

#include <limits>

namespace tare::report {
namespace {

TEST(Exact, KeepsEveryDigitOfTheLargestCount) {
  const Measured measured = Exact(std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(measured.exact);
  EXPECT_EQ(measured.value, Number(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(measured.verdict, Verdict::kValid);
  EXPECT_FALSE(measured.low.has_value());
}

TEST(Between, CarriesItsIntervalAndConfidence) {
  const Measured measured = Between(3, 2, 5, 0.95);
  EXPECT_EQ(measured.value, Number(3.0));
  EXPECT_EQ(measured.low, 2);
  EXPECT_EQ(measured.high, 5);
  EXPECT_EQ(measured.confidence, 0.95);
  EXPECT_FALSE(measured.exact);
}

TEST(Absent, HasAReasonAndNoValue) {
  const Measured measured = Absent("no counters");
  EXPECT_FALSE(measured.value.has_value());
  EXPECT_EQ(measured.reason, "no counters");
  EXPECT_EQ(measured.verdict, Verdict::kRefused);
}

TEST(Doubtful, KeepsTheWorseVerdictAndBothReasons) {
  const Measured once = Doubtful(Exact(1), "few runs");
  EXPECT_EQ(once.verdict, Verdict::kDoubtful);
  EXPECT_EQ(once.reason, "few runs");
  const Measured twice = Doubtful(once, "busy machine");
  EXPECT_EQ(twice.reason, "few runs; busy machine");
  EXPECT_EQ(Doubtful(Absent("gone"), "late").verdict, Verdict::kRefused);
}

TEST(In, ChangesTheUnitAlone) {
  const Measured measured = WithUnit("ns", Exact(7));
  EXPECT_EQ(measured.unit, "ns");
  EXPECT_EQ(measured.value, Number(std::int64_t{7}));
}

TEST(State, TakesItsWordsFromTheTableOfCaveats) {
  const StatedCaveat stated = State({CaveatId::kSteal, "4 % of core 1"});
  const CaveatRow& row = Row(CaveatId::kSteal);
  EXPECT_EQ(stated.id, row.id);
  EXPECT_EQ(stated.verdict, row.verdict);
  EXPECT_EQ(stated.message, row.message);
  EXPECT_EQ(stated.hint, row.hint);
  EXPECT_EQ(stated.detail, "4 % of core 1");
}

TEST(FindTable, SeesTablesAloneAndTheFirstOfThem) {
  Document document;
  document.blocks = {Text{"a", "not a table"}, Table{"a", "first", {}, {}},
                     Table{"a", "second", {}, {}}};
  const Table* table = FindTable(document, "a");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->title, "first");
  EXPECT_EQ(FindTable(document, "b"), nullptr);
}

}  // namespace
}  // namespace tare::report
