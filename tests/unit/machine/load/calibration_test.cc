// calibration_test.cc: tests which blocks count as undisturbed, and the resulting rate.
#include "machine/load/calibration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "machine/load/load_estimate.h"

namespace tare::load {
namespace {

// A block of 0.2 s in which the counter gets `share` of the core, at 1e9 counts per second of CPU
// time.
CountSlice Block(int place, double share) {
  const double start = 0.2 * place;
  return {start, start + 0.2, 2e8 * share, 0.2 * share, share < 1 ? 3e-3 : 0, share < 1 ? 30u : 0u};
}

CoreCounts Blocks(std::initializer_list<double> shares) {
  CoreCounts counts{3, {}};
  for (double share : shares) {
    counts.slices.push_back(Block(static_cast<int>(counts.slices.size()), share));
  }
  return counts;
}

// 10 12 14: mean 12, standard deviation 2, t(2 degrees, 95 %) = 4.3027, half-width 4.968.
TEST(MeanRate, IsStudentsInterval) {
  const auto mean = MeanRate({0, {10, 12, 14}}, 0.95).value();
  EXPECT_DOUBLE_EQ(mean.Value(), 12);
  EXPECT_NEAR(mean.High() - 12, 4.968, 1e-3);
}

// The same times sqrt(1 + 1/3) instead of sqrt(1/3): 4.3027 * 2 * 1.1547 = 9.937.
TEST(NextBlockRate, IsWhereOneMoreBlockWouldLie) {
  const auto next = NextBlockRate({0, {10, 12, 14}}, 0.95).value();
  EXPECT_NEAR(next.High() - 12, 9.937, 1e-3);
  EXPECT_NEAR(12 - next.Low(), 9.937, 1e-3);
}

TEST(NextBlockRate, IsNeverBelowNothing) {
  EXPECT_EQ(NextBlockRate({0, {1, 30}}, 0.95).value().Low(), 0);
  EXPECT_FALSE(NextBlockRate({0, {1}}, 0.95));
}

TEST(CalibrateFrom, TakesTheWallClockRateOfAnIdleCore) {
  const auto core = CalibrateFrom(Blocks({1, 1, 0.995, 1}), 4).value();
  EXPECT_TRUE(core.caveats.empty());
  EXPECT_EQ(core.rate.core, 3u);
  EXPECT_EQ(core.quiet_blocks, 4u);
  ASSERT_EQ(core.rate.blocks.size(), 4u);
  EXPECT_NEAR(core.rate.blocks[2], 0.995e9, 1);
  EXPECT_NEAR(core.disagreement, -0.00125, 1e-6);
}

TEST(CalibrateFrom, LeavesDisturbedBlocksOut) {
  const auto core = CalibrateFrom(Blocks({1, 0.5, 1, 0.7, 1}), 3).value();
  EXPECT_TRUE(core.caveats.empty());
  EXPECT_EQ(core.blocks, 5u);
  for (double rate : core.rate.blocks) EXPECT_NEAR(rate, 1e9, 1);
}

TEST(CalibrateFrom, RefusesTheRateOfACoreThatWasShared) {
  const auto core = CalibrateFrom(Blocks({0.5, 0.5, 1, 0.5}), 2).value();
  ASSERT_EQ(core.caveats.size(), 1u);
  EXPECT_EQ(core.caveats[0].key, CaveatId::kCalibratedUnderLoad);
  EXPECT_EQ(Row(core.caveats[0].key).verdict, Verdict::kRefused);
  EXPECT_EQ(core.caveats[0].detail,
            "core 3: the counter got 62 % of the core, and 100 % in 1 of 4 blocks");
  // The rate per second of the counter's own CPU time is that of an idle core.
  for (double rate : core.rate.blocks) EXPECT_NEAR(rate, 1e9, 1);
}

TEST(CalibrateFrom, FailsWhenTheCounterHardlyRan) {
  EXPECT_FALSE(CalibrateFrom(Blocks({}), 2));
  EXPECT_FALSE(CalibrateFrom(Blocks({1}), 2));
  EXPECT_FALSE(CalibrateFrom(Blocks({0, 0, 1}), 2));
}

TEST(Calibrate, StopsOnRequest) {
  const auto stopped = Calibrate({.cores = {0}}, [](double, std::string_view) { return false; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::kInterrupted);
}

TEST(Calibrate, RefusesImpossibleSettings) {
  EXPECT_FALSE(Calibrate({.cores = {}}, NoProgress));
  EXPECT_FALSE(Calibrate({.cores = {0, 0}}, NoProgress));
  EXPECT_FALSE(Calibrate({.cores = {0}, .blocks = 1}, NoProgress));
  EXPECT_FALSE(Calibrate({.cores = {0}, .block_seconds = 0}, NoProgress));
  EXPECT_FALSE(Calibrate({.cores = {0}, .max_rounds = 0}, NoProgress));
  EXPECT_FALSE(Calibrate({.cores = {1023}, .block_seconds = 0.001, .blocks = 2}, NoProgress));
}

// Lilja, exercise 13 (b): two copies on one core count n / 2 each, so each sees a load of 1. The
// blocks vary by 1 %; the interval has the spread of both calibrations.
TEST(Calibration, TwoCopiesSeeALoadOfOneEach) {
  const auto alone = CalibrateFrom(Blocks({1, 0.995, 1, 0.99, 1, 1, 0.995, 1}), 8).value();
  const Measured idle = MeanRate(alone.rate, 0.95).value();
  for (const double own : {0.5, 0.495}) {
    const auto shared = Blocks({own, 0.5, 0.505, own, 0.5, 0.5, 0.505, 0.495});
    const auto window = EstimateLoad(shared.slices, alone.rate, 0.95).value();
    EXPECT_TRUE(window.load.Contains(1)) << window.load.Low() << " to " << window.load.High();
    EXPECT_LT(window.load.HalfWidth(), 0.2);
    EXPECT_GT(window.load.HalfWidth(), idle.HalfWidth() / idle.Value());
    // The core is as fast as before: only its time is divided.
    EXPECT_NEAR(window.rate_per_cpu_second / idle.Value(), 1, 0.01);
  }
}

}  // namespace
}  // namespace tare::load
