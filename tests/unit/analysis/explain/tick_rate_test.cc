// tick_rate_test.cc: tests the estimate of the timer rate from the counts that its interrupts add.
#include "analysis/explain/tick_rate.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/explain/planted.h"

namespace tare::explain {
namespace {

Explanation Of(double value, double low, double high, bool by_second = true) {
  Term term;
  term.cause = Event(std::string(kSeconds));
  term.extra = Between(value, low, high, 0.95);
  term.by_second = by_second;
  Explanation explanation;
  explanation.terms.push_back(term);
  return explanation;
}

TEST(TickRateOf, NamesTheOnlyUsualRateInTheInterval) {
  EXPECT_EQ(TickRateOf(Of(251, 248, 254), 0)->usual, 250);
  EXPECT_EQ(TickRateOf(Of(270, 240, 310), 0)->usual, std::nullopt);
  EXPECT_EQ(TickRateOf(Of(500, 490, 510), 0)->usual, std::nullopt);
}

TEST(TickRateOf, AddsTheBaseline) {
  const auto faster = TickRateOf(Of(900, 895, 905), 100);
  EXPECT_EQ(faster->rate.Value(), 1000);
  EXPECT_EQ(faster->usual, 1000);
  const auto slower = TickRateOf(Of(150, 145, 155, false), 250);
  EXPECT_EQ(slower->rate.Low(), 95);
  EXPECT_EQ(slower->rate.High(), 105);
  EXPECT_EQ(slower->usual, 100);
}

TEST(TickRateOf, IsAbsentWhereTimeIsNoCause) { EXPECT_FALSE(TickRateOf({}, 0)); }

// Figure 6 of the study: a baseline at 100 Hz, and the same machine at other rates.
TEST(TickRateOf, EstimatesTheRateOfAnotherConfiguration) {
  const auto programs = RealPrograms("programs_x86.csv");
  stats::Generator generator(31);
  for (const int rate : {250, 300, 1000}) {
    const Plant plant{{{Event("seconds"), rate - 100.0}}, 3, 0, 0, 100};
    const auto explanation = Explain(Planted(programs, plant, generator), {0.95, 199, 1});
    ASSERT_TRUE(explanation);
    const auto ticks = TickRateOf(*explanation, 100);
    ASSERT_TRUE(ticks);
    EXPECT_EQ(ticks->usual, rate);
  }
}

}  // namespace
}  // namespace tare::explain
