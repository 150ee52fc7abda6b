// rollover_test.cc: tests when a difference of two readings is an elapsed time, and when it is not.
#include "machine/clock/rollover.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/units.h"

namespace tare::clock {
namespace {

using ::testing::HasSubstr;

constexpr double kYear = 365.0 * 86400;

struct PrintedCell {
  double period;
  int bits;
  const char* printed;
  double seconds;     // the printed value
  double last_place;  // one unit of its last printed digit
};

constexpr double kMs = 1e-3;
constexpr double kMin = 60;
constexpr double kHour = 3600;
constexpr double kDay = 86400;
constexpr double kCentury = 100 * kYear;

// Lilja's table 6.1 as printed, except for the one cell below.
constexpr PrintedCell kTable61[] = {
    {1e-8, 16, "655 µs", 655e-6, 1e-6},
    {1e-8, 24, "168 ms", 168 * kMs, kMs},
    {1e-8, 32, "42.9 s", 42.9, 0.1},
    {1e-8, 48, "32.6 days", 32.6 * kDay, 0.1 * kDay},
    {1e-8, 64, "58.5 centuries", 58.5 * kCentury, 0.1 * kCentury},
    {1e-7, 16, "6.55 ms", 6.55 * kMs, 0.01 * kMs},
    {1e-7, 24, "1.68 s", 1.68, 0.01},
    {1e-7, 32, "7.16 min", 7.16 * kMin, 0.01 * kMin},
    {1e-7, 48, "326 days", 326 * kDay, kDay},
    {1e-7, 64, "585 centuries", 585 * kCentury, kCentury},
    {1e-6, 16, "65.5 ms", 65.5 * kMs, 0.1 * kMs},
    {1e-6, 24, "16.8 s", 16.8, 0.1},
    {1e-6, 32, "1.19 h", 1.19 * kHour, 0.01 * kHour},
    {1e-6, 64, "5,850 centuries", 5850 * kCentury, 10 * kCentury},
    {1e-5, 16, "655 ms", 655 * kMs, kMs},
    {1e-5, 24, "2.8 min", 2.8 * kMin, 0.1 * kMin},
    {1e-5, 32, "11.9 h", 11.9 * kHour, 0.1 * kHour},
    {1e-5, 48, "89.3 years", 89.3 * kYear, 0.1 * kYear},
    {1e-5, 64, "58,500 centuries", 58500 * kCentury, 100 * kCentury},
    {1e-4, 16, "6.55 s", 6.55, 0.01},
    {1e-4, 24, "28.0 min", 28.0 * kMin, 0.1 * kMin},
    {1e-4, 32, "4.97 days", 4.97 * kDay, 0.01 * kDay},
    {1e-4, 48, "893 years", 893 * kYear, kYear},
    {1e-4, 64, "585,000 centuries", 585000 * kCentury, 1000 * kCentury},
    {1e-3, 16, "1.09 min", 1.09 * kMin, 0.01 * kMin},
    {1e-3, 24, "4.66 h", 4.66 * kHour, 0.01 * kHour},
    {1e-3, 32, "49.7 days", 49.7 * kDay, 0.1 * kDay},
    {1e-3, 48, "89.3 centuries", 89.3 * kCentury, 0.1 * kCentury},
    {1e-3, 64, "5,850,000 centuries", 5850000 * kCentury, 10000 * kCentury},
};

TEST(RolloverSeconds, GivesTwentyNineOfTheThirtyCellsOfTable61) {
  EXPECT_EQ(std::size(kTable61), 29u);
  for (const auto& cell : kTable61) {
    EXPECT_NEAR(RolloverSeconds(cell.period, cell.bits), cell.seconds, 0.5001 * cell.last_place)
        << cell.printed;
  }
}

// 2^48 us = 281474976.71 s = 8.925 years of 365 days; the table prints 9.15, which follows from no
// length of the year.
TEST(RolloverSeconds, DiffersFromTable61AtOneMicrosecondAndFortyEightBits) {
  const double seconds = RolloverSeconds(1e-6, 48);
  EXPECT_NEAR(seconds, 281474976.710656, 1e-6);
  EXPECT_EQ(LongDuration(seconds), "8.93 years");
  EXPECT_GT(std::abs(seconds - 9.15 * kYear), 0.2 * kYear);
}

TEST(RolloverSeconds, PrintsAsTheTableDoes) {
  EXPECT_EQ(LongDuration(RolloverSeconds(1e-8, 16)), "655 µs");
  EXPECT_EQ(LongDuration(RolloverSeconds(1e-7, 32)), "7.16 min");
  EXPECT_EQ(LongDuration(RolloverSeconds(1e-6, 32)), "1.19 h");
  EXPECT_EQ(LongDuration(RolloverSeconds(1e-3, 32)), "49.7 days");
  EXPECT_EQ(LongDuration(RolloverSeconds(1e-8, 64)), "58.5 centuries");
}

std::uint64_t Highest(int bits) { return ~std::uint64_t{0} >> (64 - bits); }

class ElapsedTicksOfWidth : public ::testing::TestWithParam<int> {};

TEST_P(ElapsedTicksOfWidth, IsTheDifferenceWithoutRollover) {
  EXPECT_EQ(ElapsedTicks(1000, 1500, GetParam(), {0, 600}).value(), 500u);
}

// (9 - (2^n - 1)) + 2^n = 10.
TEST_P(ElapsedTicksOfWidth, AddsTwoToTheNAfterOneRollover) {
  EXPECT_EQ(ElapsedTicks(Highest(GetParam()), 9, GetParam(), {0, 600}).value(), 10u);
}

TEST_P(ElapsedTicksOfWidth, IsNothingForEqualReadingsWithinOnePeriod) {
  EXPECT_EQ(ElapsedTicks(77, 77, GetParam(), {0, Highest(GetParam())}).value(), 0u);
}

TEST_P(ElapsedTicksOfWidth, ReachesThePeriodLessOneTick) {
  const auto highest = Highest(GetParam());
  EXPECT_EQ(ElapsedTicks(5, 4, GetParam(), {0, highest}).value(), highest);
}

TEST_P(ElapsedTicksOfWidth, IsRefusedWithoutAnUpperBound) {
  for (const auto& [start, end] : {std::pair{5u, 9u}, std::pair{9u, 5u}}) {
    const auto refused = ElapsedTicks(start, end, GetParam(), {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kUnsupported);
    EXPECT_THAT(refused.error().message, HasSubstr("longest time"));
  }
}

TEST_P(ElapsedTicksOfWidth, IsRefusedWhenTheBoundIsShorterThanWhatWasSeen) {
  const auto refused = ElapsedTicks(100, 300, GetParam(), {0, 199});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("cannot have advanced by"));
  EXPECT_TRUE(ElapsedTicks(100, 300, GetParam(), {0, 200}));
}

INSTANTIATE_TEST_SUITE_P(Widths, ElapsedTicksOfWidth, ::testing::Values(16, 24, 32, 48, 64));

class ElapsedTicksOfNarrowWidth : public ::testing::TestWithParam<int> {};

TEST_P(ElapsedTicksOfNarrowWidth, IsRefusedWhenASecondRolloverIsPossible) {
  const auto period = Highest(GetParam()) + 1;
  // A forward difference of 10 is 10 ticks, or one period plus 10.
  EXPECT_EQ(ElapsedTicks(0, 10, GetParam(), {0, period + 9}).value(), 10u);
  EXPECT_FALSE(ElapsedTicks(0, 10, GetParam(), {0, period + 10}));
  // A difference of -10 is one period minus 10, or two periods minus 10.
  EXPECT_EQ(ElapsedTicks(10, 0, GetParam(), {0, 2 * period - 11}).value(), period - 10);
  const auto refused = ElapsedTicks(10, 0, GetParam(), {0, 2 * period - 10});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("rolled over 0 to 1 times"));
}

TEST_P(ElapsedTicksOfNarrowWidth, CountsManyRolloversWithASlowerClock) {
  const auto period = Highest(GetParam()) + 1;
  const std::uint64_t truth = 7 * period + 123;
  const ElapsedBounds within_a_third{truth - period / 3, truth + period / 3};
  EXPECT_EQ(ElapsedTicks(50, 173, GetParam(), within_a_third).value(), truth);
  EXPECT_FALSE(ElapsedTicks(50, 173, GetParam(), {truth - period, truth + period / 3}));
}

TEST_P(ElapsedTicksOfNarrowWidth, RefusesBoundsThatNoNumberOfRolloversFits) {
  const auto period = Highest(GetParam()) + 1;
  const auto refused = ElapsedTicks(0, 0, GetParam(), {period + 1, 2 * period - 1});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("cannot have advanced by"));
}

TEST_P(ElapsedTicksOfNarrowWidth, RefusesReadingsThatDoNotFitTheWidth) {
  const auto refused = ElapsedTicks(0, Highest(GetParam()) + 1, GetParam(), {0, 10});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
}

INSTANTIATE_TEST_SUITE_P(Widths, ElapsedTicksOfNarrowWidth, ::testing::Values(16, 24, 32, 48));

TEST(ElapsedTicks, RefusesImpossibleWidths) {
  for (int bits : {-1, 0, 65, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    EXPECT_FALSE(ElapsedTicks(0, 0, bits, {0, 1})) << bits;
  }
}

TEST(ElapsedTicks, RefusesALowerBoundThatSixtyFourBitsCannotReach) {
  EXPECT_FALSE(ElapsedTicks(0, 10, 64, {11, ~std::uint64_t{0}}));
}

TEST(ElapsedTicks, RefusesBoundsInTheWrongOrder) {
  EXPECT_FALSE(ElapsedTicks(0, 10, 16, {500, 20}));
}

TEST(BoundsFromCoarseClock, RoundsOutwards) {
  // (1 -+ 0.25) s in ticks of 0.3 s: 2.5 to 4.17.
  const auto bounds = BoundsFromCoarseClock(1, 0.25, 0.3).value();
  EXPECT_EQ(bounds.min, 2u);
  EXPECT_EQ(bounds.max, 5u);
}

TEST(BoundsFromCoarseClock, DoesNotFallBelowZeroOrBeyondSixtyFourBits) {
  EXPECT_EQ(BoundsFromCoarseClock(0.5, 2, 1e-9).value().min, 0u);
  EXPECT_EQ(BoundsFromCoarseClock(0.5, 1e30, 1e-9).value().max, ~std::uint64_t{0});
  EXPECT_FALSE(BoundsFromCoarseClock(1e30, 0, 1e-9));
}

TEST(BoundsFromCoarseClock, RefusesWhatIsNoTime) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(BoundsFromCoarseClock(-1, 0, 1));
  EXPECT_FALSE(BoundsFromCoarseClock(1, -1, 1));
  EXPECT_FALSE(BoundsFromCoarseClock(1, 1, 0));
  EXPECT_FALSE(BoundsFromCoarseClock(std::nan(""), 1, 1));
  EXPECT_FALSE(BoundsFromCoarseClock(1, infinity, 1));
}

// A 16-bit microsecond counter and a clock that is accurate to 10 ms: 65.5 ms per roll-over.
TEST(BoundsFromCoarseClock, LetsANarrowCounterMeasureALongTime) {
  const std::uint64_t truth = 1'234'567;
  const auto bounds = BoundsFromCoarseClock(1.23, 0.01, 1e-6).value();
  EXPECT_EQ(ElapsedTicks(100, (100 + truth) & 0xffff, 16, bounds).value(), truth);
}

}  // namespace
}  // namespace tare::clock
