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
