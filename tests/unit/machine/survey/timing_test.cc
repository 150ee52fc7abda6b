// timing_test.cc: tests rates of loops, and work on several cores.
#include "machine/survey/timing.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "machine/host/affinity.h"
#include "machine/survey/bandwidth.h"
#include "machine/survey/crew.h"

namespace tare::survey {
namespace {

TEST(SampleRate, CountsWhatTheLoopSaysItDid) {
  std::uint64_t requested = 0;
  unsigned calls = 0;
  const Loop loop = [&](std::uint64_t amount) {
    requested = amount;
    ++calls;
    const double until = Now() + 1e-5;
    while (Now() < until) {
    }
    return std::uint64_t{1};
  };
  const double rate = SampleRate(loop, {1e-3, 7}, 5000);
  EXPECT_EQ(calls, 7u);
  EXPECT_EQ(requested, 5u);
  EXPECT_GT(rate, 0);
  EXPECT_LE(rate, 1e5);
}

TEST(SampleRate, FindsTheLengthOfASliceItself) {
  std::vector<std::uint64_t> amounts;
  const Loop loop = [&](std::uint64_t amount) {
    amounts.push_back(amount);
    const double until = Now() + static_cast<double>(amount) * 1e-8;
    while (Now() < until) {
    }
    return amount;
  };
  EXPECT_GT(SampleRate(loop, {1e-2, 3}, 0), 0);
  ASSERT_GE(amounts.size(), 4u);
  EXPECT_LT(amounts.front(), amounts.back());
}

TEST(Crew, BeginsEachStageOnAllCoresTogether) {
  const auto cores = host::AllowedProcessors();
  ASSERT_TRUE(cores.has_value());
  std::atomic<std::size_t> prepared = 0;
  std::atomic<std::size_t> first_stage = 0;
  std::vector<std::size_t> seen_first(cores->size(), 0);
  std::vector<std::size_t> seen_second(cores->size(), 0);
  RunOnCores(
      *cores, 2, [&](std::size_t) { ++prepared; },
      [&](std::size_t i, std::size_t stage) {
        if (stage == 0) {
          seen_first[i] = prepared;
          ++first_stage;
        } else {
          seen_second[i] = first_stage;
        }
      });
  for (const std::size_t count : seen_first) EXPECT_EQ(count, cores->size());
  for (const std::size_t count : seen_second) EXPECT_EQ(count, cores->size());
}

TEST(CoreCounts, DoubleAndEndWithAll) {
  EXPECT_EQ(CoreCounts(1), (std::vector<std::size_t>{1}));
  EXPECT_EQ(CoreCounts(2), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(CoreCounts(6), (std::vector<std::size_t>{1, 2, 4, 6}));
}

}  // namespace
}  // namespace tare::survey
