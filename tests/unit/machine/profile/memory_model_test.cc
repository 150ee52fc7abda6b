// memory_model_test.cc: tests times of levels from curves, and curves from times of levels.
#include "machine/profile/memory_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "machine/profile/hit_rates.h"
#include "tests/unit/machine/profile/example_profile.h"

namespace tare::machine_profile {
namespace {

constexpr CurveKey kLoads{Access::kLoad, Pattern::kStrided, 1, 8};
constexpr CurveKey kChain{Access::kLoad, Pattern::kChained, 1, 8};

CurveModel ModelOf(const CurveKey& key, std::vector<double> seconds) {
  return {key, std::move(seconds), {true, true, true}, 0, 0, 0};
}

double SecondsAt(const std::vector<Level>& levels, std::size_t index, const CurveKey& key,
                 unsigned widest_bytes) {
  return Real(LevelSeconds(levels, index, key, widest_bytes));
}

TEST(FitCurve, FindsTheTimesThatACurveWasComputedFrom) {
  const auto levels = ExampleLevels();
  const auto sizes = ModelSizes(levels);
  for (const CurveKey& key : UsualCurves(16)) {
    const auto made = ModelOf(key, {0.5e-9, 3e-9, 40e-9});
    const auto fitted = FitCurve(CurveFromModel(made, levels, sizes, 0), levels);
    ASSERT_TRUE(fitted) << fitted.error().message;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(fitted->seconds[i] / made.seconds[i], 1, 1e-6) << CurveName(key) << ' ' << i;
    }
    EXPECT_LT(fitted->worst_error, 1e-6);
    EXPECT_THAT(fitted->known, testing::Each(true));
  }
}

TEST(FitCurve, IsNotLedAstrayByPointsNextToAStep) {
  const auto levels = ExampleLevels();
  Curve curve = CurveFromModel(ModelOf(kChain, {1e-9, 5e-9, 80e-9}), levels, ModelSizes(levels), 0);
  int moved = 0;
  for (CurvePoint& point : curve.points) {
    // A real cache keeps a part of a working set that is slightly too large.
    if (point.bytes <= (1 << 20) || point.bytes > (3 << 19)) continue;
    point.rate.value = 3 * point.rate.Value();
    ++moved;
  }
  ASSERT_GE(moved, 2);
  const auto fitted = FitCurve(curve, levels);
  ASSERT_TRUE(fitted);
  EXPECT_NEAR(fitted->seconds[2], 80e-9, 4e-9);
  EXPECT_LT(fitted->median_error, 0.05);
  EXPECT_GT(fitted->worst_error, 1);
}

TEST(FitCurve, SaysWhichLevelsNoPointReaches) {
  const auto levels = ExampleLevels();
  const std::vector<std::uint64_t> sizes = {4096, 8192, 65536, 131072};
  const auto fitted =
      FitCurve(CurveFromModel(ModelOf(kLoads, {1e-9, 2e-9, 9e-9}), levels, sizes, 0), levels);
  ASSERT_TRUE(fitted);
  EXPECT_THAT(fitted->known, testing::ElementsAre(true, true, false));
}

TEST(FitCurve, PassesOverRefusedPoints) {
  const auto levels = ExampleLevels();
  Curve curve = CurveFromModel(ModelOf(kChain, {1e-9, 5e-9, 80e-9}), levels, ModelSizes(levels), 0);
  curve.points[0].rate.value = 1;
  curve.points[0].rate.verdict = Verdict::kRefused;
  const auto fitted = FitCurve(curve, levels);
  ASSERT_TRUE(fitted);
  EXPECT_LT(fitted->worst_error, 1e-6);
}

TEST(FitCurve, NeedsAPointForEachLevel) {
  const auto fitted = FitCurve({kLoads, {{4096, Plain(1e9), {}}}}, ExampleLevels());
  ASSERT_FALSE(fitted);
  EXPECT_EQ(fitted.error().message,
            "load stride 1, 8 B has 1 points, too few to fit the times of 3 levels");
}

// In the innermost level 16-byte loads run at 64 GB/s, and 8-byte loads no faster: 0.25 ns. A line
// of 64 bytes from memory at 8 GB/s takes 8 ns.
TEST(LevelSeconds, FollowBandwidthForSequences) {
  const auto levels = ExampleLevels();
  EXPECT_DOUBLE_EQ(SecondsAt(levels, 0, kLoads, 16), 0.25e-9);
  EXPECT_DOUBLE_EQ(SecondsAt(levels, 2, kLoads, 16), 8e-9 - 7 * 0.25e-9);
  const CurveModel model = *ModelFromLevels(levels, kLoads, 16);
  EXPECT_NEAR(model.Seconds(levels, 1 << 24), 1e-9, 1e-15);
}

// An element that is loaded and stored takes both times and counts as two accesses. Its line is
// loaded and written back, as that of a store is.
TEST(LevelSeconds, OfUpdatesAddAccessesAndMoveALineOnce) {
  const CurveKey updates{Access::kUpdate, Pattern::kStrided, 1, 16};
  const auto levels = ExampleLevels();
  EXPECT_DOUBLE_EQ(SecondsAt(levels, 0, updates, 16), (0.25e-9 + 0.5e-9) / 2);
  const CurveModel model = *ModelFromLevels(levels, updates, 16);
  EXPECT_NEAR(model.Seconds(levels, 1 << 24), 4e-9 / 2, 1e-15);
}

// 80 ns for ten lines in flight are 8 ns per line, the same as the transfer; from L2 the transfer
// takes longer.
TEST(LevelSeconds, OfRandomAccessesAreTheLongerOfWaitingAndMoving) {
  const CurveKey random{Access::kLoad, Pattern::kRandom, 1, 8};
  auto levels = ExampleLevels();
  EXPECT_DOUBLE_EQ(SecondsAt(levels, 2, random, 16), 8e-9);
  EXPECT_DOUBLE_EQ(SecondsAt(levels, 1, random, 16), 2e-9);
  levels[2].latency = Plain(160e-9);
  EXPECT_DOUBLE_EQ(SecondsAt(levels, 2, random, 16), 16e-9);
  const CurveKey wide{Access::kLoad, Pattern::kStrided, 16, 8};
  EXPECT_DOUBLE_EQ(SecondsAt(levels, 2, wide, 16), 16e-9);
}

TEST(LevelSeconds, OfAChainAreTheLatency) {
  EXPECT_DOUBLE_EQ(SecondsAt(ExampleLevels(), 1, kChain, 16), 5e-9);
}

TEST(LevelSeconds, OfAChainOfUpdatesHideTheStores) {
  constexpr CurveKey kUpdates{Access::kUpdate, Pattern::kChained, 1, 8};
  const auto levels = ExampleLevels();
  const auto model = ModelFromLevels(levels, kUpdates, 16);
  ASSERT_TRUE(model.has_value());
  // Two accesses in the time of one load, whichever level it hits.
  EXPECT_NEAR(model->Seconds(levels, 16 << 10), 1e-9 / 2, 1e-15);
  EXPECT_NEAR(model->Seconds(levels, 1 << 28), 80e-9 / 2, 1e-15);
}

TEST(LevelSeconds, AreNotInvented) {
  auto levels = ExampleLevels();
  levels[2].parallel.reset();
  EXPECT_FALSE(LevelSeconds(levels, 2, {Access::kLoad, Pattern::kRandom, 1, 8}, 16));
  EXPECT_TRUE(LevelSeconds(levels, 2, kLoads, 16));
  levels[1].load.reset();
  const auto model = ModelFromLevels(levels, kLoads, 16);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message, "L2 lacks figures that load stride 1, 8 B needs");
}

TEST(ModelSizes, ReachFromTwoKibibytesToFourTimesTheLastCache) {
  const auto sizes = ModelSizes(ExampleLevels());
  EXPECT_EQ(sizes.front(), 2048u);
  EXPECT_EQ(sizes.back(), 4u << 20);
  // Eleven doublings of four sizes each, and the last.
  EXPECT_EQ(sizes.size(), 45u);
  EXPECT_FALSE(ModelSizes(std::vector{Memory()}).empty());
}

TEST(CurveFromModel, HasIntervalsOfItsError) {
  const auto levels = ExampleLevels();
  const std::vector<std::uint64_t> sizes = {4096};
  const auto exact = CurveFromModel(ModelOf(kChain, {1e-9, 5e-9, 80e-9}), levels, sizes, 0);
  EXPECT_DOUBLE_EQ(exact.points[0].rate.Value(), 1e9);
  EXPECT_EQ(OriginOf(exact.points[0].rate), Origin::kProjected);
  EXPECT_FALSE(exact.points[0].rate.low);
  const auto rough = CurveFromModel(ModelOf(kChain, {1e-9, 5e-9, 80e-9}), levels, sizes, 0.5);
  EXPECT_DOUBLE_EQ(Real(rough.points[0].rate.low), 1e9 / 1.5);
  EXPECT_DOUBLE_EQ(Real(rough.points[0].rate.high), 1.5e9);
  EXPECT_EQ(rough.points[0].rate.verdict, Verdict::kDoubtful);
  EXPECT_EQ(rough.points[0].rate.reason, "the error of the model that computes it is up to 50 %");
}

TEST(WithCurves, MakesAllUsualOnesFromLevelsAlone) {
  Profile profile = ExampleProfile();
  profile.curves.clear();
  profile.rates.push_back({"widest element", "B", Plain(16), ""});
  const Profile full = WithCurves(profile);
  EXPECT_EQ(full.curves.size(), UsualCurves(16).size());
  for (const Curve& curve : full.curves) {
    for (const CurvePoint& point : curve.points) {
      EXPECT_EQ(OriginOf(point.rate), Origin::kProjected);
      EXPECT_EQ(point.hits.size(), 2u);
    }
  }
}

TEST(WithCurves, LeavesMeasuredOnesAlone) {
  const Profile profile = ExampleProfile();
  const Profile full = WithCurves(profile);
  const Curve* curve = full.FindCurve(kLoads);
  ASSERT_NE(curve, nullptr);
  EXPECT_EQ(*curve, profile.curves[0]);
  EXPECT_GT(full.curves.size(), profile.curves.size());
}

TEST(WithCurves, LeavesOutCurvesThatTheLevelsDoNotDetermine) {
  Profile profile = ExampleProfile();
  profile.curves.clear();
  for (Level& level : profile.levels) {
    level.store.reset();
    level.parallel.reset();
  }
  for (const Curve& curve : WithCurves(profile).curves) {
    EXPECT_EQ(curve.key.access, Access::kLoad);
    EXPECT_NE(curve.key.pattern, Pattern::kRandom);
  }
}

// Lilja, exercise 11 (c): with the hit ratio h, a hit of 2 ns and a miss of 50 ns, the average
// delay is 2 h + 50 (1 - h). A cache of 32 KiB and memory; a scan of 1 MiB with stride s misses
// once for each line of 64 bytes: the miss ratio is s / 8 for s up to 8, and 1 beyond (exercise
// 12).
TEST(CurveModel, IsTheAverageDelayOfAHitRatioThatTheStrideControls) {
  std::vector<Level> levels(2);
  levels[0].name = "L1";
  levels[0].bytes = 32768;
  levels[0].line_bytes = 64;
  levels[0].ways = 8;
  levels[1].name = "memory";
  levels[1].line_bytes = 64;
  for (const unsigned stride : {1U, 2U, 4U, 8U, 16U}) {
    const CurveKey key{Access::kLoad, Pattern::kStrided, stride, 8};
    const CurveModel model{key, {2e-9, 50e-9}, {true, true}, 0, 0, 0};
    const double miss = std::min(1.0, stride / 8.0);
    EXPECT_NEAR(HitRates(levels, key, 1 << 20).front(), 1 - miss, 1e-12) << stride;
    EXPECT_NEAR(model.Seconds(levels, 1 << 20), 2e-9 * (1 - miss) + 50e-9 * miss, 1e-15) << stride;
    // What fits hits always, whatever the stride.
    EXPECT_NEAR(model.Seconds(levels, 16384), 2e-9, 1e-15) << stride;
  }
}

// Exercise 12: from the times of scans with known miss ratios, the fit finds the two delays again.
TEST(CurveModel, OfScansWithControlledMissRatiosIsFoundAgain) {
  std::vector<Level> levels(2);
  levels[0].name = "L1";
  levels[0].bytes = 32768;
  levels[0].line_bytes = 64;
  levels[0].ways = 8;
  levels[1].name = "memory";
  levels[1].line_bytes = 64;
  const std::vector<std::uint64_t> sizes = {8192, 16384, 1 << 20, 1 << 21};
  for (const unsigned stride : {1U, 4U, 8U}) {
    const CurveKey key{Access::kLoad, Pattern::kStrided, stride, 8};
    const CurveModel made{key, {2e-9, 50e-9}, {true, true}, 0, 0, 0};
    const auto fitted = FitCurve(CurveFromModel(made, levels, sizes, 0), levels);
    ASSERT_TRUE(fitted) << fitted.error().message;
    EXPECT_NEAR(fitted->seconds[0], 2e-9, 1e-14) << stride;
    EXPECT_NEAR(fitted->seconds[1], 50e-9, 1e-13) << stride;
  }
}

}  // namespace
}  // namespace tare::machine_profile
