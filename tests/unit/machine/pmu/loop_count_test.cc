// loop_count_test.cc: tests the detection of counters that are right, dead, doubled, and worse.
#include "machine/pmu/loop_count.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cerrno>

namespace tare::pmu {
namespace {

using testing::HasSubstr;

constexpr auto kParts = {LoopPart::kInstructions,   LoopPart::kCycles, LoopPart::kBranches,
                         LoopPart::kMispredictions, LoopPart::kLoads,  LoopPart::kStores};

// What a correct counter returns; mispredictions are half of the iterations.
std::uint64_t Sound(LoopPart part, std::uint64_t iterations) {
  switch (part) {
    case LoopPart::kInstructions:
      return 4 * iterations;
    case LoopPart::kCycles:
      return 6 * iterations;
    case LoopPart::kMispredictions:
      return iterations / 2;
    default:
      return iterations;
  }
}

// A counter that returns `factor` times the true count, plus 5000 for its own start and stop.
CountLoop Counter(double factor) {
  return [factor](const EventCode&, LoopPart part, std::uint64_t iterations) {
    LoopReading reading;
    reading.count.value =
        static_cast<std::uint64_t>(factor * static_cast<double>(Sound(part, iterations))) + 5000;
    reading.count.enabled_ns = reading.count.running_ns = 1000;
    return reading;
  };
}

TEST(TestByLoop, ASoundCounterPassesWhateverStartingCosts) {
  for (const LoopPart part : kParts) {
    const auto test = TestByLoop({}, part, Counter(1));
    ASSERT_TRUE(test);
    EXPECT_EQ(test->works, Works::kCounts) << test->reason;
    EXPECT_EQ(test->user_read_agrees, std::nullopt);
  }
}

TEST(TestByLoop, ADeadCounterIsFoundOutForEveryPart) {
  for (const LoopPart part : kParts) {
    const auto test = TestByLoop({}, part, Counter(0));
    ASSERT_TRUE(test);
    EXPECT_EQ(test->works, Works::kCountsNothing);
    EXPECT_EQ(test->counted, 0U);
  }
}

TEST(TestByLoop, DoubleAndHalfAreFoundOutForAllButCycles) {
  for (const LoopPart part : kParts) {
    if (part == LoopPart::kCycles) continue;
    for (const double factor : {2.0, 0.5, 1.05}) {
      // The true number of mispredictions is less certain.
      if (part == LoopPart::kMispredictions && factor == 1.05) continue;
      const auto test = TestByLoop({}, part, Counter(factor));
      ASSERT_TRUE(test);
      EXPECT_EQ(test->works, Works::kCountsWrong) << factor;
    }
  }
  EXPECT_THAT(TestByLoop({}, LoopPart::kInstructions, Counter(2))->reason,
              HasSubstr("2.00 times the true number"));
}

TEST(TestByLoop, SixteenTimesIsFoundOutForEveryPart) {
  for (const LoopPart part : kParts) {
    const auto test = TestByLoop({}, part, Counter(16));
    ASSERT_TRUE(test);
    EXPECT_EQ(test->works, Works::kCountsWrong);
  }
}

TEST(TestByLoop, ACounterThatRunsBackwardsCountsNothing) {
  const auto test =
      TestByLoop({}, LoopPart::kLoads, [](const EventCode&, LoopPart, std::uint64_t iterations) {
        LoopReading reading;
        reading.count.value = 10'000'000 - iterations;
        return reading;
      });
  ASSERT_TRUE(test);
  EXPECT_EQ(test->works, Works::kCountsNothing);
}

TEST(TestByLoop, ASharedCounterIsNotEvaluated) {
  const auto test = TestByLoop(
      {}, LoopPart::kInstructions, [](const EventCode&, LoopPart, std::uint64_t iterations) {
        LoopReading reading;
        reading.count = {.value = iterations, .enabled_ns = 9, .running_ns = 3};
        return reading;
      });
  ASSERT_TRUE(test);
  EXPECT_EQ(test->works, Works::kNotTested);
  EXPECT_THAT(test->reason, HasSubstr("another program"));
}

TEST(TestByLoop, TheKernelsReadingMustBeBetweenTheTwoByAnInstruction) {
  const auto with = [](std::int64_t before, std::int64_t after) -> CountLoop {
    return [=](const EventCode&, LoopPart part, std::uint64_t iterations) {
      LoopReading reading;
      const auto value = static_cast<std::int64_t>(Sound(part, iterations));
      reading.count.value = static_cast<std::uint64_t>(value);
      reading.user_before = static_cast<std::uint64_t>(value + before);
      reading.user_after = static_cast<std::uint64_t>(value + after);
      return reading;
    };
  };
  EXPECT_EQ(TestByLoop({}, LoopPart::kLoads, with(-10, 10))->user_read_agrees, true);
  EXPECT_EQ(TestByLoop({}, LoopPart::kLoads, with(1, 10))->user_read_agrees, false);
  EXPECT_EQ(TestByLoop({}, LoopPart::kLoads, with(-10, -1))->user_read_agrees, false);
}

TEST(TestByLoop, AnEventThatDoesNotOpenGivesItsErrorNumber) {
  const auto test =
      TestByLoop({}, LoopPart::kLoads,
                 [](const EventCode&, LoopPart, std::uint64_t) -> std::expected<LoopReading, int> {
                   return std::unexpected(EMFILE);
                 });
  ASSERT_FALSE(test);
  EXPECT_EQ(test.error(), EMFILE);
}

TEST(CountLoopHere, CountsOrGivesAnErrorNumber) {
  EventCode code;
  code.type = PERF_TYPE_HARDWARE;
  code.config = PERF_COUNT_HW_INSTRUCTIONS;
  const auto reading = CountLoopHere(code, LoopPart::kInstructions, 100'000);
  if (!reading) {
    EXPECT_GT(reading.error(), 0);
    GTEST_SKIP() << "no hardware event can be opened here";
  }
  if (reading->count.value == 0) GTEST_SKIP() << "the event counts nothing here";
  EXPECT_GE(reading->count.value, 400'000U);
}

// A software clock event does not count the loop, but is opened, read and closed the same way.
TEST(CountLoopHere, WorksWithEventsOfTheKernel) {
  EventCode code;
  code.type = PERF_TYPE_SOFTWARE;
  code.config = PERF_COUNT_SW_TASK_CLOCK;
  const auto reading = CountLoopHere(code, LoopPart::kMispredictions, 100'000);
  if (!reading) GTEST_SKIP() << "error number " << reading.error();
  EXPECT_GT(reading->count.value, 0U);
  EXPECT_EQ(reading->user_before, std::nullopt) << "no instruction reads the kernel's clocks";
}

}  // namespace
}  // namespace tare::pmu
