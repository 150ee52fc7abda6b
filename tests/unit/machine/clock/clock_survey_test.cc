// clock_survey_test.cc: tests complete clock reports, and readings passed from core to core.
#include "machine/clock/clock_survey.h"

#include <gtest/gtest.h>

#include <array>

#include "machine/clock/rollover.h"
#include "machine/host/affinity.h"

namespace tare::clock {
namespace {

#if defined(__x86_64__)
constexpr ClockId kForeign = ClockId::kCntvct;
#else
constexpr ClockId kForeign = ClockId::kRdtsc;
#endif

CostConfig QuickSurvey() {
  CostConfig config;
  config.batches = 10;
  config.batch_seconds = 10e-6;
  config.step_seconds = 0.005;
  return config;
}

constexpr OrderConfig kQuickOrder{200, 0.05};

TEST(MeasureOrder, CountsNoMoreHandOversThanRequested) {
  if (host::AllowedProcessors().value().size() < 2)
    GTEST_SKIP() << "this process may use only one processor";
  const auto order = MeasureOrder(Row(ClockId::kMonotonic), kQuickOrder).value();
  EXPECT_LE(order.hand_overs, 200u);
  EXPECT_NE(order.from, order.to);
  EXPECT_EQ(order.backward, 0u);
}

TEST(MeasureOrder, EndsWhenItsTimeIsOver) {
  if (host::AllowedProcessors().value().size() < 2)
    GTEST_SKIP() << "this process may use only one processor";
  const auto order = MeasureOrder(Row(ClockId::kGetrusage), {~std::uint64_t{0} - 1, 0.01}).value();
  EXPECT_LT(order.hand_overs, 1'000'000u);
}

TEST(MeasureOrder, HasNoMeaningForOneThreadsTime) {
  const auto order = MeasureOrder(Row(ClockId::kThreadCputime), kQuickOrder);
  ASSERT_FALSE(order);
  EXPECT_EQ(order.error().kind, ErrorKind::kUnsupported);
}

TEST(MeasureOrder, IsAbsentWithItsReasonOnOneProcessor) {
  const auto pinned = host::PinnedThread::To(host::AllowedProcessors().value().front());
  ASSERT_TRUE(pinned);
  const auto reports =
      MeasureClocks(std::array{ClockId::kMonotonic}, QuickSurvey(), kQuickOrder, NoProgress)
          .value();
  EXPECT_FALSE(reports.front().across_cores);
  EXPECT_EQ(reports.front().no_order, "this process may use only one processor");
}

TEST(MeasureClocks, ReportsEachClockInTheRequestedOrder) {
  const std::array clocks = {ClockId::kThreadCputime, ClockId::kMonotonic};
  const auto reports = MeasureClocks(clocks, QuickSurvey(), kQuickOrder, NoProgress).value();
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].clock->id, ClockId::kThreadCputime);
  EXPECT_FALSE(reports[0].no_order.empty());
  EXPECT_EQ(reports[0].rollover_seconds, RolloverSeconds(1e-9, 64));
  EXPECT_EQ(reports[1].clock->id, ClockId::kMonotonic);
  EXPECT_EQ(reports[1].rollover_seconds, RolloverSeconds(1, 63));
}

TEST(MeasureClocks, ReportsProgressThatNeverGoesBack) {
  double last = 0;
  const std::array clocks = {ClockId::kMonotonic, ClockId::kRealtime};
  const auto reports =
      MeasureClocks(clocks, QuickSurvey(), kQuickOrder, [&](double fraction, std::string_view) {
        EXPECT_GE(fraction, last);
        last = fraction;
        return true;
      });
  EXPECT_TRUE(reports);
  EXPECT_DOUBLE_EQ(last, 1);
}

TEST(MeasureClocks, RefusesAClockThatIsNotHereBeforeItMeasures) {
  bool measured = false;
  const std::array clocks = {ClockId::kMonotonic, kForeign};
  const auto refused =
      MeasureClocks(clocks, QuickSurvey(), kQuickOrder, [&](double, std::string_view) {
        measured = true;
        return true;
      });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnsupported);
  EXPECT_FALSE(measured);
}

TEST(MeasureClocks, RefusesNoClockWhoseReadingsAreNotOrdered) {
  std::vector<ClockId> clocks;
  for (const ClockId id : AvailableClocks()) {
    if (!Row(id).ordered && Row(id).counts == Counts::kWall) clocks.push_back(id);
  }
  const auto reports = MeasureClocks(clocks, QuickSurvey(), {20'000, 0.5}, NoProgress);
  if (!reports) GTEST_SKIP() << reports.error().message;
  for (const ClockReport& report : *reports) {
    for (const Caveat& caveat : report.caveats) EXPECT_NE(caveat.key, CaveatId::kClockWentBack);
  }
}

TEST(MeasureClocks, OfNothingIsNothing) {
  EXPECT_TRUE(MeasureClocks({}, QuickSurvey(), kQuickOrder, NoProgress).value().empty());
}

}  // namespace
}  // namespace tare::clock
