// timer_pace_test.cc: tests timers with jitter, arbitrary start and delayed interval changes.
#include "measure/sample/timer_pace.h"

#include <gtest/gtest.h>

#include <vector>

namespace tare::sample {
namespace {

constexpr std::uint64_t kTimerMs = 1'000'000;

// Records of a timer that applies a new interval `deaf` records too late.
std::vector<std::uint64_t> Records(TimerPace& pace, int records, std::size_t deaf,
                                   std::uint64_t max_late_ns) {
  std::vector<std::uint64_t> times;
  std::vector<std::uint64_t> intervals(deaf, pace.IntervalNs());
  std::uint64_t time = 1'700'000;
  for (int i = 0; i < records; ++i) {
    const std::uint64_t late = static_cast<std::uint64_t>(i) * 7919 * 1000 % max_late_ns;
    times.push_back(time + late);
    pace.SampleTaken(time + late);
    intervals.push_back(pace.IntervalNs());
    time += intervals[static_cast<std::size_t>(i)];
  }
  return times;
}

std::vector<std::uint64_t> Chosen(const std::vector<std::uint64_t>& times, const TimerPace& pace) {
  const std::vector<bool> kept = pace.Kept();
  if (kept.empty()) return times;
  std::vector<std::uint64_t> chosen;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (kept.at(i)) chosen.push_back(times[i]);
  }
  return chosen;
}

class TimerPaceDelayed : public testing::TestWithParam<std::size_t> {};

TEST_P(TimerPaceDelayed, LeavesAsManyRecordsAsWereWantedAllRegular) {
  TimerPace pace({.interval_ns = {}, .records = 100, .finest_ns = kTimerMs});
  const auto times = Records(pace, 1500, GetParam(), 300'000);
  const auto chosen = Chosen(times, pace);
  EXPECT_GE(chosen.size(), 100U);
  EXPECT_LE(chosen.size(), 202U);
  EXPECT_LE(pace.Missed(), 1U);
  for (std::size_t i = 1; i < chosen.size(); ++i) {
    const double distance = static_cast<double>(chosen[i] - chosen[i - 1]);
    EXPECT_NEAR(distance, static_cast<double>(pace.IntervalNs()), 1e6) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Timers, TimerPaceDelayed, testing::Values(1, 2, 7, 40));

TEST(TimerPace, KeepsAllRecordsOfAGivenInterval) {
  TimerPace pace({.interval_ns = kTimerMs, .records = 10, .finest_ns = kTimerMs});
  Records(pace, 1000, 1, 100'000);
  EXPECT_TRUE(pace.Kept().empty());
  EXPECT_EQ(pace.IntervalNs(), kTimerMs);
  EXPECT_EQ(pace.Missed(), 0U);
}

TEST(TimerPace, SeesWhatTheTimerLeavesOut) {
  TimerPace pace({.interval_ns = kTimerMs, .records = 10, .finest_ns = kTimerMs});
  pace.SampleTaken(10 * kTimerMs);
  pace.SampleTaken(11 * kTimerMs);
  pace.SampleTaken(15 * kTimerMs);
  EXPECT_EQ(pace.Missed(), 3U);
}

TEST(TimerPace, ContinuesAfterAGap) {
  TimerPace pace({.interval_ns = {}, .records = 10, .finest_ns = kTimerMs});
  std::vector<std::uint64_t> times;
  const auto take = [&](std::uint64_t time) {
    times.push_back(time);
    pace.SampleTaken(time);
  };
  for (std::uint64_t i = 0; i < 20; ++i) take(i * kTimerMs);
  // No record for three intervals, and then one every other millisecond.
  for (std::uint64_t i = 0; i < 10; ++i) take((26 + 2 * i) * kTimerMs);
  const auto chosen = Chosen(times, pace);
  EXPECT_EQ(pace.IntervalNs(), 4 * kTimerMs);
  std::uint64_t last = chosen.front();
  for (std::size_t i = 1; i < chosen.size(); ++i) {
    EXPECT_GE(chosen[i] - last, 2 * kTimerMs);
    EXPECT_LE(chosen[i] - last, 8 * kTimerMs + kTimerMs);
    last = chosen[i];
  }
}

TEST(TimerPace, AlwaysKeepsTheFirstAndTheLastRecord) {
  TimerPace pace({.interval_ns = {}, .records = 10, .finest_ns = kTimerMs});
  pace.IrregularSampleTaken();
  for (std::uint64_t i = 1; i < 100; ++i) pace.SampleTaken(i * kTimerMs);
  pace.IrregularSampleTaken();
  const auto kept = pace.Kept();
  ASSERT_EQ(kept.size(), 101U);
  EXPECT_TRUE(kept.front());
  EXPECT_TRUE(kept.back());
}

}  // namespace
}  // namespace tare::sample
