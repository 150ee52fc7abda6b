// ratio_table_test.cc: tests the format of a table of ratios, and the messages for errors.
#include "analysis/proxy/ratio_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare::proxy {
namespace {

using testing::HasSubstr;

Result<ImportedRatios> Judged(std::string_view text, double tolerance = 0.1) {
  TRY(const auto table, ParseCsv(text, "t.csv"));
  return AssessTable(table, tolerance);
}

void ExpectRefused(std::string_view text, std::string_view message) {
  const auto ratios = Judged(text);
  ASSERT_FALSE(ratios) << text;
  EXPECT_EQ(ratios.error().kind, ErrorKind::kFormat);
  EXPECT_THAT(ratios.error().message, HasSubstr(message));
}

TEST(AssessTable, BoundsDecideWhereTheyAreGiven) {
  const auto ratios = Judged(
      "program,stores,stores.low,stores.high,loads\n"
      "a,1.05,0.95,1.2,1.05\n"
      "b,1.05,1.04,1.06,\n");
  ASSERT_TRUE(ratios) << ratios.error().message;
  const auto& a = ratios->programs[0].metrics;
  EXPECT_EQ(a[0].ratio.verdict, Verdict::kDoubtful);
  EXPECT_EQ(a[0].ratio.reason, "part of the interval is outside 0.9 to 1.1");
  EXPECT_EQ(a[1].ratio.verdict, Verdict::kValid);
  const auto& b = ratios->programs[1].metrics;
  EXPECT_EQ(b[0].ratio.verdict, Verdict::kValid);
  EXPECT_FALSE(b[1].ratio.value);
  EXPECT_EQ(b[1].ratio.reason, "the table has no number for it");
  EXPECT_EQ(ratios->without_interval, 1u);
}

TEST(AssessTable, LimitsBelongToTheTolerance) {
  const auto ratios = Judged("program,a,b,c,d\nx,0.9,1.1,0.899,1.101\n");
  ASSERT_TRUE(ratios);
  const auto& metrics = ratios->programs[0].metrics;
  EXPECT_EQ(metrics[0].ratio.verdict, Verdict::kValid);
  EXPECT_EQ(metrics[1].ratio.verdict, Verdict::kValid);
  EXPECT_EQ(metrics[2].ratio.verdict, Verdict::kRefused);
  EXPECT_EQ(metrics[3].ratio.verdict, Verdict::kRefused);
  EXPECT_EQ(metrics[3].ratio.reason, "it is outside 0.9 to 1.1");
}

TEST(AssessTable, RunTimeIsKnownUnderItsUsualNames) {
  for (const char* name : {"run-time", "Runtime", "run time", "RUN_TIME", "time", "wall-time"}) {
    const auto ratios = Judged(std::string("program,") + name + ",Time Stamps\nx,1,1\n");
    ASSERT_TRUE(ratios) << name;
    EXPECT_EQ(ratios->programs[0].metrics[0].metric, kRunTime) << name;
    EXPECT_EQ(ratios->programs[0].metrics[1].metric, "Time Stamps");
  }
}

TEST(AssessTable, ReadsWhatTareWrites) {
  const auto ratios = Judged(
      "program,stores,stores_low,stores_high,stores_verdict\n"
      "a,1.5,1.4,1.6,refused\n");
  ASSERT_TRUE(ratios) << ratios.error().message;
  ASSERT_EQ(ratios->programs[0].metrics.size(), 1u);
  EXPECT_EQ(ratios->programs[0].metrics[0].ratio.low, 1.4);
  EXPECT_EQ(ratios->without_interval, 0u);
}

TEST(AssessTable, RefusesWhatIsNoRatio) {
  ExpectRefused("program,stores\na,-1\n",
                "t.csv, line 2, column 'stores': expected a ratio above 0");
  ExpectRefused("program,stores\na,0\n", "expected a ratio above 0, not 0");
  ExpectRefused("program,stores\na,fast\n", "line 2");
  ExpectRefused("program,stores\na,nan\n", "line 2");
  ExpectRefused("program,stores\na,inf\n", "line 2");
}

TEST(AssessTable, RefusesBoundsThatDoNotFit) {
  ExpectRefused("program,stores,stores.low,stores.high\na,1,1.1,1.2\n",
                "1 of 'stores' is not between its bounds 1.1 and 1.2");
  ExpectRefused("program,stores,stores.low,stores.high\na,1,1.2,0.8\n", "is not between");
  ExpectRefused("program,stores,stores.low\na,1,0.9\n", "'stores' has one bound");
  ExpectRefused("program,stores,stores.low,stores.high\na,1,0.9,\n", "has one bound");
  ExpectRefused("program,stores,stores.low,stores.high\na,,0.9,1.1\n", "bounds but no ratio");
  ExpectRefused("program,stores,loads.low,loads.high\na,1,1,1\n", "is a bound of a metric");
  ExpectRefused("program,stores,stores.low,stores_low,stores.high\na,1,1,1,1\n", "two columns");
}

TEST(AssessTable, RefusesTablesWithoutProgramsOrMetrics) {
  ExpectRefused("name,stores\na,1\n", "program");
  ExpectRefused("program\na\n", "no column of ratios");
  ExpectRefused("program,stores\n\" \",1\n", "line 2: the program has no name");
  ExpectRefused("program,stores\na,1\nb,1\na,2\n", "line 4: the program 'a' is listed twice");
  ExpectRefused("program,time,runtime\na,1,1\n", "two columns contain run-time");
}

}  // namespace
}  // namespace tare::proxy
