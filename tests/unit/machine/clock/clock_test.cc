// clock_test.cc: tests the table of clocks, and which of them this machine has.
#include "machine/clock/clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "machine/clock/clock_reads.h"

namespace tare::clock {
namespace {

using ::testing::HasSubstr;

#if defined(__x86_64__)
constexpr std::string_view kOwn = "rdtsc";
constexpr std::string_view kForeignClock = "cntvct";
#else
constexpr std::string_view kOwn = "cntvct";
constexpr std::string_view kForeignClock = "rdtsc";
#endif

TEST(ClockTable, NamesAreDistinctAndFindTheirRow) {
  std::set<std::string_view> names;
  for (const Clock& clock : ClockTable()) {
    EXPECT_TRUE(names.insert(clock.name).second) << clock.name;
    EXPECT_EQ(FindClock(clock.name).value()->id, clock.id);
    EXPECT_EQ(&Row(clock.id), FindClock(clock.name).value());
    EXPECT_GE(clock.bits, 16);
    EXPECT_LE(clock.bits, 64);
  }
}

TEST(FindClock, NamesTheClocksOfThisMachineWhenThereIsNoSuchClock) {
  const auto missing = FindClock("sundial\x1b[2J");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(missing.error().message, HasSubstr("'sundial\\x1b[2J'"));
  EXPECT_THAT(missing.error().message, HasSubstr("monotonic_raw"));
  EXPECT_FALSE(FindClock(""));
}

TEST(Availability, SaysThatAClockOfAnotherProcessorIsMissingHere) {
  const Clock* foreign = FindClock(kForeignClock).value();
  const auto missing = Availability(*foreign);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(missing.error().message, HasSubstr("x86-64"));
  EXPECT_THAT(missing.error().message, HasSubstr("aarch64"));
  EXPECT_THAT(missing.error().message, HasSubstr(std::string(kOwn)));
}

TEST(Availability, IsGivenForTheProcessorsOwnCounterAndForMonotonic) {
  EXPECT_TRUE(Availability(*FindClock(kOwn).value()));
  EXPECT_TRUE(Availability(Row(ClockId::kMonotonic)));
  EXPECT_TRUE(Availability(Row(FinestClock())));
}

TEST(MeasureTickPeriod, IsExactForWhatTheSystemDefines) {
  const auto nanoseconds = MeasureTickPeriod(Row(ClockId::kMonotonic), 0.95).value();
  EXPECT_TRUE(nanoseconds.exact);
  EXPECT_EQ(nanoseconds.Value(), 1e-9);
  EXPECT_EQ(nanoseconds.Low(), nanoseconds.High());
  EXPECT_EQ(MeasureTickPeriod(Row(ClockId::kGettimeofday), 0.95).value().Value(), 1e-6);
}

TEST(MeasureTickPeriod, IsAPositiveTimeWithinItsIntervalForTheProcessorsCounter) {
  const auto period = MeasureTickPeriod(*FindClock(kOwn).value(), 0.95).value();
  EXPECT_GT(period.Low(), 0);
  EXPECT_TRUE(period.Contains(period.Value()));
  EXPECT_LE(period.Value(), 1e-6);
}

TEST(MeasureTickPeriod, RefusesWhatIsNotHereAndImpossibleConfidence) {
  EXPECT_FALSE(MeasureTickPeriod(*FindClock(kForeignClock).value(), 0.95));
  EXPECT_FALSE(MeasureTickPeriod(Row(ClockId::kMonotonic), 1.5));
}

// 40 Julian years at 1 GHz are 1.26e18 ticks, which need 61 bits. At 25 MHz 55 would be enough, and
// the Arm ARM guarantees 56.
TEST(CounterBits, FollowThePromiseOfTheArmArchitecture) {
  EXPECT_EQ(CounterBits(Row(ClockId::kCntvct), 1e-9), 61);
  EXPECT_EQ(CounterBits(Row(ClockId::kCntvct), 40e-9), 56);
  EXPECT_EQ(CounterBits(Row(ClockId::kCntvct), 1e-12), 64);
  EXPECT_EQ(CounterBits(Row(ClockId::kRdtsc), 1e-9), 64);
  EXPECT_EQ(CounterBits(Row(ClockId::kMonotonic), 1e-9), 63);
}

TEST(FindAccess, FindsSystemCallsWhereNoOtherWayExists) {
  EXPECT_EQ(FindAccess(*FindClock(kOwn).value()), Access::kInstruction);
  for (const ClockId id : {ClockId::kThreadCputime, ClockId::kGetrusage, ClockId::kTimes}) {
    const auto access = FindAccess(Row(id));
    if (!access) GTEST_SKIP() << "the kernel allows no seccomp filter here";
    EXPECT_EQ(*access, Access::kSystemCall) << Row(id).name;
  }
}

TEST(FindAccess, LeavesTheCallingThreadItsClocks) {
  FindAccess(Row(ClockId::kThreadCputime));
  timespec now;
  EXPECT_EQ(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
}

TEST(NominalResolution, ExistsForClockGettimeOnly) {
  EXPECT_GT(NominalResolution(Row(ClockId::kMonotonicCoarse)).value(), 0);
  EXPECT_FALSE(NominalResolution(Row(ClockId::kGettimeofday)));
}

TEST(WithClock, ReadsEveryClockThatIsHere) {
  for (const ClockId id : AvailableClocks()) {
    const auto [first, second] = WithClock(id, [](auto read) {
      const auto one = read.Now();
      return std::pair(one, read.Now());
    });
    EXPECT_GE(second, first) << Row(id).name;
  }
}

}  // namespace
}  // namespace tare::clock
