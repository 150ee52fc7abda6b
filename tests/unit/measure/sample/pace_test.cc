// pace_test.cc: tests how the interval is chosen, and which records remain.
#include "measure/sample/pace.h"

#include <gtest/gtest.h>

#include <vector>

namespace tare::sample {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

// Takes records on time, without duration, until the run ends. Returns the times of all records.
std::vector<std::uint64_t> RunFor(std::uint64_t end_ns, Pace& pace) {
  std::vector<std::uint64_t> times = {0};
  pace.IrregularSampleTaken();
  while (pace.DueNs() <= end_ns) {
    times.push_back(pace.DueNs());
    pace.SampleTaken(pace.DueNs());
  }
  times.push_back(end_ns);
  pace.IrregularSampleTaken();
  return times;
}

std::vector<std::uint64_t> Kept(const std::vector<std::uint64_t>& times, const Pace& pace) {
  std::vector<std::uint64_t> kept;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (pace.Keeps(i)) kept.push_back(times[i]);
  }
  return kept;
}

TEST(Pace, KeepsToAnIntervalThatWasGiven) {
  Pace pace({.interval_ns = 10 * kMs, .records = 10, .finest_ns = kMs});
  const auto times = RunFor(1005 * kMs, pace);
  EXPECT_EQ(times.size(), 102U);
  EXPECT_EQ(pace.IntervalNs(), 10 * kMs);
  EXPECT_FALSE(pace.Thins());
  EXPECT_EQ(Kept(times, pace), times);
  EXPECT_EQ(pace.Missed(), 0U);
}

TEST(Pace, TheFirstIntervalMayHaveBegunBefore) {
  Pace pace({.interval_ns = 10 * kMs, .first_ns = 3 * kMs, .records = 10, .finest_ns = kMs});
  const auto times = RunFor(35 * kMs, pace);
  EXPECT_EQ(times,
            (std::vector<std::uint64_t>{0, 3 * kMs, 13 * kMs, 23 * kMs, 33 * kMs, 35 * kMs}));
  EXPECT_EQ(pace.IntervalNs(), 10 * kMs);
  EXPECT_EQ(pace.Missed(), 0U);
}

TEST(Pace, LeavesShortRunsAtTheFinestInterval) {
  Pace pace({.interval_ns = {}, .records = 100, .finest_ns = kMs});
  const auto times = RunFor(150 * kMs, pace);
  EXPECT_EQ(pace.IntervalNs(), kMs);
  EXPECT_EQ(times.size(), 152U);
  EXPECT_FALSE(pace.Thins());
}

class PaceOfLength : public testing::TestWithParam<std::uint64_t> {};

TEST_P(PaceOfLength, LeavesAsManyRecordsAsWereWantedAllRegular) {
  Pace pace({.interval_ns = {}, .records = 100, .finest_ns = kMs});
  const auto times = RunFor(GetParam() * kMs, pace);
  const auto kept = Kept(times, pace);
  EXPECT_GE(kept.size(), 100U);
  EXPECT_LE(kept.size(), 203U);
  for (std::size_t i = 0; i + 1 < kept.size(); ++i) {
    EXPECT_EQ(kept[i], i * pace.IntervalNs()) << "of " << kept.size();
  }
  EXPECT_EQ(pace.Missed(), 0U);
  // The number of records written grows only with the logarithm of the time.
  EXPECT_LE(times.size(), 2000U);
}

INSTANTIATE_TEST_SUITE_P(Runs, PaceOfLength, testing::Values(201, 399, 400, 1000, 65536, 99999));

TEST(Pace, CountsTicksThatHavePassed) {
  Pace pace({.interval_ns = kMs, .records = 100, .finest_ns = kMs});
  pace.SampleTaken(1 * kMs);
  EXPECT_EQ(pace.Tick(), 2U);
  pace.SampleTaken(2 * kMs + kMs / 2);  // late, but before the next
  EXPECT_EQ(pace.Tick(), 3U);
  EXPECT_EQ(pace.Missed(), 0U);
  pace.SampleTaken(7 * kMs);  // 4, 5, 6 and 7 were missed
  EXPECT_EQ(pace.Tick(), 8U);
  EXPECT_EQ(pace.Missed(), 4U);
}

TEST(Pace, ForgetsMissesThatTheLongerIntervalDoesNotKnow) {
  Pace pace({.interval_ns = {}, .records = 4, .finest_ns = kMs});
  // 1 and 3 are taken, 2 is not.
  pace.SampleTaken(2 * kMs);
  EXPECT_EQ(pace.Missed(), 1U);
  for (int i = 0; i < 7; ++i) pace.SampleTaken(pace.DueNs());
  EXPECT_EQ(pace.IntervalNs(), 2 * kMs);
  // 2 is still missing among 2, 4, 6 and 8.
  EXPECT_EQ(pace.Missed(), 1U);
}

TEST(Pace, ReadsExpensiveSourcesAtTicksThatAreKept) {
  Pace pace({.interval_ns = {}, .records = 50, .finest_ns = kMs});
  std::vector<bool> read = {false};
  pace.IrregularSampleTaken();
  while (pace.DueNs() <= 1000 * kMs) {
    read.push_back(pace.IsDueEach(7 * kMs));
    pace.SampleTaken(pace.DueNs());
  }
  EXPECT_EQ(pace.IntervalNs(), 16 * kMs);
  for (std::size_t i = 1; i < read.size(); ++i) {
    EXPECT_TRUE(read[i] || !pace.Keeps(i)) << i;
  }
}

TEST(Pace, ReadsCheapThingsEachTime) {
  Pace pace({.interval_ns = kMs, .records = 50, .finest_ns = kMs});
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(pace.IsDueEach(0));
    EXPECT_TRUE(pace.IsDueEach(kMs));
    pace.SampleTaken(pace.DueNs());
  }
}

}  // namespace
}  // namespace tare::sample
