// short_measure_test.cc: tests guarantees of the demonstration that are true on any machine.
#include "machine/clock/short_measure.h"

#include <gtest/gtest.h>

#include "machine/host/affinity.h"

namespace tare::clock {
namespace {

ShortConfig QuickShort() {
  ShortConfig config;
  config.measurements = 400;
  config.blocks = 20;
  return config;
}

TEST(MeasureShort, SubtractsItsOverheadAndComparesBothMethods) {
  const auto before = host::AllowedProcessors().value();
  ShortConfig config = QuickShort();
  config.processor = before.front();
  const auto measured = MeasureShort(config, NoProgress).value();
  // A few measurements of several ticks are excluded; if there are many, all are kept and the mean
  // is used.
  EXPECT_TRUE(measured.measurements == 400u || measured.measurements + measured.several == 400u);
  EXPECT_GE(measured.measurements, 380u);
  EXPECT_DOUBLE_EQ(measured.by_ticks.Value(),
                   measured.with_overhead.duration.Value() - measured.overhead.Value());
  EXPECT_NEAR(measured.with_overhead.proportion.Value(),
              static_cast<double>(measured.advanced) / static_cast<double>(measured.measurements),
              1e-9);
  EXPECT_EQ(measured.agree, measured.apart.Contains(0));
  EXPECT_GT(measured.by_difference.Value(), 0);
  EXPECT_EQ(host::AllowedProcessors().value(), before);
}

TEST(MeasureShort, StopsOnRequest) {
  const auto stopped = MeasureShort(QuickShort(), [](double, std::string_view) { return false; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::kInterrupted);
}

// Lilja, figure 6.4: n or n + 1 ticks for an event of n ticks and a part of one.
TEST(MeasureShort, AnEventLongerThanATickAdvancesTheClockByOneOfTwoNumbers) {
  ShortConfig config = QuickShort();
  config.event_seconds = 2.5 * config.tick_seconds;
  config.processor = host::AllowedProcessors().value().front();
  const auto measured = MeasureShort(config, NoProgress).value();
  std::uint64_t all = 0;
  std::uint64_t of_two = 0;
  for (const auto& [ticks, count] : measured.by_advance) {
    all += count;
    if (ticks == measured.n || ticks == measured.n + 1) of_two += count;
  }
  EXPECT_EQ(all, 400u);
  EXPECT_EQ(all - of_two, measured.several);
  EXPECT_GE(measured.n, 1u);
  // The estimate is between the two numbers that the clock reports.
  if (measured.measurements == of_two) {
    EXPECT_GE(measured.with_overhead.proportion.Value(), measured.n);
    EXPECT_LE(measured.with_overhead.proportion.Value(), measured.n + 1);
  }
}

// 10,000 (3 us + 40 us) and 100 blocks of 3 times 150 us.
TEST(PlanShort, TakesLessThanASecondWithTheDefaults) {
  const auto plan = PlanShort({}).value();
  EXPECT_EQ(plan.measurements, 10'000u);
  EXPECT_EQ(plan.blocks, 100u);
  EXPECT_NEAR(plan.seconds, 0.43 + 0.045, 1e-9);
}

// 5 s / (23 ms + 1 ms) and 5 s / (3 * 23 ms).
TEST(PlanShort, MeasuresLongEventsLessOften) {
  ShortConfig config;
  config.tick_seconds = 1e-3;
  config.event_seconds = 23e-3;
  const auto plan = PlanShort(config).value();
  EXPECT_EQ(plan.measurements, 208u);
  EXPECT_EQ(plan.blocks, 72u);
  config.measurements = 60;
  config.blocks = 20;
  EXPECT_EQ(PlanShort(config)->measurements, 60u);
  EXPECT_EQ(PlanShort(config)->blocks, 20u);
}

TEST(PlanShort, TakesNoMoreThanFifteenSeconds) {
  for (const double event : {3e-6, 1e-3, 20e-3, 0.1}) {
    ShortConfig config;
    config.tick_seconds = 0.1;
    config.event_seconds = event;
    config.confidence = 0.9999;
    const auto plan = PlanShort(config).value();
    EXPECT_EQ(plan.measurements, 50u) << event;
    EXPECT_GE(plan.blocks, 15u) << event;
    EXPECT_LE(plan.seconds, 15) << event;
  }
}

// The median's interval of n blocks reaches a confidence of 1 - 2^(1-n), 0.9999999 with 25.
TEST(PlanShort, HasTheBlocksThatTheConfidenceNeeds) {
  ShortConfig config;
  config.tick_seconds = 0.1;
  config.event_seconds = 0.1;
  config.confidence = 0.9999999;
  EXPECT_EQ(PlanShort(config)->blocks, 25u);
}

TEST(PlanShort, RefusesWhatWouldTakeTooLong) {
  ShortConfig config;
  config.tick_seconds = 1e-3;
  config.event_seconds = 1;
  const auto refused = PlanShort(config);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(refused.error().message,
            "cannot measure an event of 1 s with ticks of 0.001 s: the 50 measurements that are "
            "needed would take 50.05 s; choose an event and a tick of at most 100 ms each");
}

// 50 events of 2 ms and as many random delays take 150 ms.
TEST(MeasureShort, ReportsProgressOfLongEventsByTime) {
  ShortConfig config;
  config.tick_seconds = 1e-3;
  config.event_seconds = 2e-3;
  config.measurements = 50;
  config.blocks = 10;
  int reports = 0;
  const auto measured = MeasureShort(config, [&](double, std::string_view what) {
    reports += what == "short intervals by ticks";
    return true;
  });
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_GE(reports, 3);
}

TEST(MeasureShort, RefusesAnEventOfTooManyTicks) {
  ShortConfig config = QuickShort();
  config.event_seconds = 1001 * config.tick_seconds;
  const auto refused = MeasureShort(config, NoProgress);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
}

TEST(MeasureShort, RefusesToMakeTicksFromAClockThatIsTooCoarse) {
  ShortConfig config = QuickShort();
  config.fine = ClockId::kGettimeofday;
  EXPECT_FALSE(MeasureShort(config, NoProgress));
}

TEST(MeasureShort, RefusesImpossibleSettings) {
  for (auto spoil :
       {+[](ShortConfig& c) { c.measurements = 0; }, +[](ShortConfig& c) { c.blocks = 0; },
        +[](ShortConfig& c) { c.event_seconds = 0; }, +[](ShortConfig& c) { c.tick_seconds = 1; },
        +[](ShortConfig& c) { c.confidence = 0; }, +[](ShortConfig& c) { c.processor = 1023; }}) {
    ShortConfig config = QuickShort();
    spoil(config);
    EXPECT_FALSE(MeasureShort(config, NoProgress));
  }
}

}  // namespace
}  // namespace tare::clock
