// repeat_test.cc: tests rounds, permutations and stopping rules, without running processes.
#include "measure/run/repeat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "stats/random.h"

namespace tare::run {
namespace {

using testing::Each;
using testing::SizeIs;

Finished FinishedAfter(double seconds) {
  Finished finished;
  finished.wall_seconds = seconds;
  return finished;
}

std::vector<std::size_t> OrderOf(std::uint64_t seed) {
  const auto repeated =
      Repeat({.warm_up_runs = 0, .runs = 20, .until = {}, .max_seconds = {}, .seed = seed}, 4,
             [](std::size_t) { return FinishedAfter(1); });
  return repeated ? repeated->order : std::vector<std::size_t>{};
}

TEST(Repeat, EveryRoundIsAPermutation) {
  const auto order = OrderOf(1);
  ASSERT_EQ(order.size(), 80U);
  std::set<std::vector<std::size_t>> seen;
  for (std::size_t round = 0; round < 20; ++round) {
    const auto start = order.begin() + static_cast<std::ptrdiff_t>(4 * round);
    std::vector<std::size_t> one(start, start + 4);
    seen.insert(one);
    std::ranges::sort(one);
    EXPECT_THAT(one, testing::ElementsAre(0, 1, 2, 3));
  }
  EXPECT_GT(seen.size(), 5U);
}

TEST(Repeat, TheSeedDecidesTheOrder) {
  EXPECT_EQ(OrderOf(5), OrderOf(5));
  EXPECT_NE(OrderOf(5), OrderOf(6));
}

TEST(Repeat, WarmUpRunsAreDropped) {
  Plan plan;
  plan.warm_up_runs = 3;
  plan.runs = 2;
  int calls = 0;
  const auto repeated =
      Repeat(plan, 2, [&](std::size_t) { return FinishedAfter(++calls <= 6 ? 100 : 1); });
  ASSERT_TRUE(repeated);
  EXPECT_EQ(calls, 10);
  EXPECT_THAT(repeated->runs, Each(SizeIs(2)));
  for (const auto& runs : repeated->runs) {
    for (const Finished& run : runs) EXPECT_EQ(run.wall_seconds, 1);
  }
  EXPECT_EQ(repeated->stopped, Repeated::Stopped::kDone);
}

TEST(Repeat, EqualTimesArePreciseAfterTheMinimum) {
  Plan plan;
  plan.until = Precision{};
  const auto repeated = Repeat(plan, 1, [](std::size_t) { return FinishedAfter(2); });
  ASSERT_TRUE(repeated);
  EXPECT_THAT(repeated->runs.front(), SizeIs(6));
  EXPECT_EQ(repeated->stopped, Repeated::Stopped::kDone);
}

TEST(Repeat, NoisyTimesTakeLongerAndAllSettingsMustBePrecise) {
  Plan plan;
  plan.until = Precision{.relative_width = 0.05, .centre = Precision::Centre::kMean};
  stats::Generator noise(7);
  const auto run = [&](std::size_t setting) {
    return FinishedAfter(setting == 0 ? 1 : 1 + noise.Unit());
  };
  const auto repeated = Repeat(plan, 2, run);
  ASSERT_TRUE(repeated);
  EXPECT_EQ(repeated->stopped, Repeated::Stopped::kDone);
  // Uniform noise: sd 0.289, mean 1.5, so 2 * 1.96 * 0.289 / sqrt(n) <= 0.075 needs about 228.
  EXPECT_GT(repeated->runs[1].size(), 150U);
  EXPECT_LT(repeated->runs[1].size(), 320U);
  EXPECT_EQ(repeated->runs[0].size(), repeated->runs[1].size());
}

TEST(Repeat, StopsAtTheMostRuns) {
  Plan plan;
  plan.until = Precision{.relative_width = 1e-9, .max_runs = 12};
  int call = 0;
  const auto repeated = Repeat(plan, 1, [&](std::size_t) { return FinishedAfter(1 + ++call); });
  ASSERT_TRUE(repeated);
  EXPECT_THAT(repeated->runs.front(), SizeIs(12));
  EXPECT_EQ(repeated->stopped, Repeated::Stopped::kMaxRuns);
}

TEST(Repeat, StopsWhenTheTimeIsSpentAfterAWholeRound) {
  Plan plan;
  plan.runs = 100;
  plan.max_seconds = 10;
  const auto repeated = Repeat(plan, 2, [](std::size_t) { return FinishedAfter(1.5); });
  ASSERT_TRUE(repeated);
  EXPECT_THAT(repeated->runs, Each(SizeIs(4)));
  EXPECT_EQ(repeated->stopped, Repeated::Stopped::kOutOfTime);
}

TEST(Repeat, OneRoundIsRunHoweverLittleTimeThereIs) {
  Plan plan;
  plan.warm_up_runs = 5;
  plan.max_seconds = 0.001;
  const auto repeated = Repeat(plan, 1, [](std::size_t) { return FinishedAfter(1); });
  ASSERT_TRUE(repeated);
  EXPECT_THAT(repeated->runs.front(), SizeIs(1));
}

TEST(Repeat, TheFirstErrorEndsIt) {
  int calls = 0;
  const auto repeated = Repeat({}, 1, [&](std::size_t) -> Result<Finished> {
    if (++calls == 3) return Fail(ErrorKind::kIo, "broken");
    return FinishedAfter(1);
  });
  ASSERT_FALSE(repeated);
  EXPECT_EQ(repeated.error().message, "broken");
  EXPECT_EQ(calls, 3);
}

TEST(Repeat, CanBeInterruptedFromBothSides) {
  const auto stopped = Repeat(
      {}, 1, [](std::size_t) { return FinishedAfter(1); },
      [](double fraction, std::string_view) { return fraction < 0.5; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::kInterrupted);
  const auto interrupted = Repeat({}, 1, [](std::size_t) {
    Finished finished = FinishedAfter(1);
    finished.ended.interrupted = true;
    return finished;
  });
  ASSERT_FALSE(interrupted);
  EXPECT_EQ(interrupted.error().kind, ErrorKind::kInterrupted);
}

TEST(Repeat, ProgressRisesAndStaysWithinOne) {
  Plan plan;
  plan.warm_up_runs = 1;
  double last = -1;
  bool rises = true;
  const auto repeated = Repeat(
      plan, 3, [](std::size_t) { return FinishedAfter(1); },
      [&](double fraction, std::string_view) {
        rises = rises && fraction > last && fraction <= 1;
        last = fraction;
        return true;
      });
  EXPECT_TRUE(repeated);
  EXPECT_TRUE(rises);
  EXPECT_GT(last, 0.9);
}

TEST(Repeat, ImpossiblePlansAreRefused) {
  const auto refused = [](const Plan& plan) {
    const auto repeated = Repeat(plan, 1, [](std::size_t) { return FinishedAfter(1); });
    return !repeated && repeated.error().kind == ErrorKind::kUsage;
  };
  Plan plan;
  EXPECT_FALSE(refused(plan));
  plan.runs = 0;
  EXPECT_TRUE(refused(plan));
  plan = {};
  plan.max_seconds = 0;
  EXPECT_TRUE(refused(plan));
  plan = {};
  plan.until = Precision{.relative_width = 0};
  EXPECT_TRUE(refused(plan));
  plan.until = Precision{.confidence = 1};
  EXPECT_TRUE(refused(plan));
  plan.until = Precision{.min_runs = 9, .max_runs = 8};
  EXPECT_TRUE(refused(plan));
}

}  // namespace
}  // namespace tare::run
