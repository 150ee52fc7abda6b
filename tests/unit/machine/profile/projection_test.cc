// projection_test.cc: tests projections to hypothetical machines.
#include "machine/profile/projection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "machine/profile/changed_levels.h"
#include "machine/profile/profile_comparison.h"
#include "machine/profile/profile_validity.h"
#include "stats/random.h"
#include "tests/unit/machine/profile/example_profile.h"

namespace tare::machine_profile {
namespace {

constexpr CurveKey kProjectedLoads{Access::kLoad, Pattern::kStrided, 1, 8};
constexpr CurveKey kRandom{Access::kLoad, Pattern::kRandom, 1, 8};
constexpr CurveKey kProjectedChain{Access::kLoad, Pattern::kChained, 1, 8};

// A machine whose curves follow from its levels, with noise of up to 4 % at every point.
Profile NoisyMachine() {
  Profile profile = ExampleProfile();
  profile.curves.clear();
  profile.rates.push_back({"widest element", "B", Plain(16), ""});
  // Levels alone explain the curves: TLB misses are hidden.
  const std::vector<Tlb> tlbs = std::exchange(profile.tlbs, {});
  profile = WithCurves(profile);
  profile.tlbs = tlbs;
  stats::Generator generator(3);
  for (Curve& curve : profile.curves) {
    for (CurvePoint& point : curve.points) {
      const double value = point.rate.Value() * (0.96 + 0.08 * generator.Unit());
      point.rate = Within(value, value * 0.98, value * 1.02);
    }
  }
  return profile;
}

Result<Projection> Projected(const std::vector<std::string>& texts) {
  std::vector<Change> changes;
  for (const std::string& text : texts) {
    TRY(Change change, ParseChange(text));
    changes.push_back(std::move(change));
  }
  return Project(NoisyMachine(), changes, "future");
}

std::string ProjectionRefusal(std::string text) {
  const auto projected = Projected({std::move(text)});
  return projected ? "it was done" : projected.error().message;
}

// Returns the speed-up of the projected machine at `bytes`.
double Gain(const Projection& projection, const CurveKey& key, std::uint64_t bytes) {
  const Profile before = NoisyMachine();
  return Real(RateAt(*projection.profile.FindCurve(key), bytes)) /
         Real(RateAt(*before.FindCurve(key), bytes));
}

Origin OriginAt(const Projection& projection, const CurveKey& key, std::uint64_t bytes) {
  return OriginOf(RateAt(*projection.profile.FindCurve(key), bytes).value_or(Measured{}));
}

constexpr std::uint64_t kInL1 = 16 << 10;
constexpr std::uint64_t kInL2 = 256 << 10;
constexpr std::uint64_t kInMemory = 4 << 20;

TEST(Project, WithoutAChangeKeepsEveryNumber) {
  const auto projected = Projected({});
  ASSERT_TRUE(projected) << projected.error().message;
  EXPECT_EQ(projected->profile.curves, NoisyMachine().curves);
  EXPECT_EQ(projected->profile.rates, NoisyMachine().rates);
  EXPECT_EQ(projected->profile.levels, NoisyMachine().levels);
}

TEST(Project, ItsModelsGiveTheMeasuredCurvesWithinTheirError) {
  const Profile profile = NoisyMachine();
  for (const Curve& curve : profile.curves) {
    const auto model = FitCurve(curve, profile.levels);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_LT(model->worst_error, 0.1) << CurveName(curve.key);
    EXPECT_LE(model->median_error, model->usual_error);
    EXPECT_LE(model->usual_error, model->worst_error);
    for (const CurvePoint& point : curve.points) {
      const double modelled = model->Seconds(profile.levels, point.bytes) * point.rate.Value();
      EXPECT_LE(std::max(modelled, 1 / modelled), 1 + model->worst_error + 1e-12)
          << CurveName(curve.key);
    }
  }
}

TEST(Project, TwiceTheMemoryBandwidthDoublesSequencesThere) {
  const auto projected = Projected({"memory.bandwidth=x2"});
  ASSERT_TRUE(projected) << projected.error().message;
  EXPECT_NEAR(Gain(*projected, kProjectedLoads, kInMemory), 2, 0.1);
  EXPECT_EQ(OriginAt(*projected, kProjectedLoads, kInMemory), Origin::kProjected);
  // The caches, and dependent chains everywhere, stay as measured.
  EXPECT_EQ(Gain(*projected, kProjectedLoads, kInL2), 1);
  EXPECT_EQ(OriginAt(*projected, kProjectedLoads, kInL2), Origin::kMeasured);
  EXPECT_EQ(Gain(*projected, kProjectedChain, kInMemory), 1);
  EXPECT_EQ(projected->profile.levels[2].load, Plain(16e9, Origin::kProjected));
  EXPECT_EQ(projected->profile.levels[1].load, Plain(32e9));
}

TEST(Project, HalfTheLatencyDoublesChainsThere) {
  const auto projected = Projected({"memory.latency=40ns"});
  ASSERT_TRUE(projected) << projected.error().message;
  EXPECT_NEAR(Gain(*projected, kProjectedChain, kInMemory), 2, 0.1);
  EXPECT_EQ(Gain(*projected, kProjectedChain, kInL1), 1);
  EXPECT_EQ(Gain(*projected, kProjectedLoads, kInMemory), 1);
}

// A random line takes 8 ns of latency and 8 ns of transfer, so halving one alone gains nothing.
TEST(Project, RandomAccessesNeedBothLatencyAndBandwidth) {
  const auto latency = Projected({"memory.latency=x0.5"});
  const auto both = Projected({"memory.latency=x0.5", "memory.bandwidth=x2"});
  ASSERT_TRUE(latency && both);
  EXPECT_NEAR(Gain(*latency, kRandom, kInMemory), 1, 0.1);
  EXPECT_GT(Gain(*both, kRandom, kInMemory), 1.5);
  const auto slower = Projected({"memory.latency=x3"});
  ASSERT_TRUE(slower);
  EXPECT_LT(Gain(*slower, kRandom, kInMemory), 0.5);
}

TEST(Project, ALargerCacheMovesTheStep) {
  const auto projected = Projected({"L2.bytes=8MiB"});
  ASSERT_TRUE(projected) << projected.error().message;
  EXPECT_GT(Gain(*projected, kProjectedChain, kInMemory), 10);
  const Curve& curve = *projected->profile.FindCurve(kProjectedChain);
  EXPECT_EQ(curve.points.back().bytes, 32u << 20);
  EXPECT_NEAR(1 / curve.points.back().rate.Value(), 80e-9, 4e-9);
  EXPECT_TRUE(RequirePossible(projected->profile));
}

// Carrington et al. (2002), figure 13: a third level between the second and memory.
// A point that the model explains badly moves with the model and does not jump to it.
TEST(Project, KeepsWhatTheModelDoesNotExplain) {
  Profile machine = NoisyMachine();
  auto curve = std::ranges::find(machine.curves, kRandom, &Curve::key);
  const std::uint64_t last_cache = machine.levels[machine.levels.size() - 2].bytes;
  const auto beyond = std::ranges::find_if(
      curve->points, [&](const CurvePoint& point) { return point.bytes > last_cache * 5 / 4; });
  const std::uint64_t bytes = beyond->bytes;
  const double measured = beyond->rate.Value() * 2.5;
  beyond->rate = Within(measured, measured * 0.98, measured * 1.02);
  const auto change = ParseChange("L1.bytes=x2");
  ASSERT_TRUE(change);
  const auto projection = Project(machine, {{*change}}, "future");
  ASSERT_TRUE(projection) << projection.error().message;
  const double projected = Real(RateAt(*projection->profile.FindCurve(kRandom), bytes));
  EXPECT_NEAR(projected / measured, 1, 0.05);
}

TEST(Project, AThirdCacheMakesAThirdStair) {
  const auto projected = Projected({"add L3 bytes=32MiB ways=16 latency=20ns bandwidth=16GB/s"});
  ASSERT_TRUE(projected) << projected.error().message;
  const Profile& profile = projected->profile;
  ASSERT_EQ(profile.levels.size(), 4u);
  EXPECT_EQ(profile.levels[2].name, "L3");
  EXPECT_EQ(profile.levels[2].line_bytes, 64u);
  const Curve& chain = *profile.FindCurve(kProjectedChain);
  EXPECT_NEAR(1 / Real(RateAt(chain, 16 << 20)), 20e-9, 1e-9);
  EXPECT_NEAR(1 / Real(RateAt(chain, 128 << 20)), 80e-9, 4e-9);
  EXPECT_EQ(chain.points.back().hits.size(), 3u);
  EXPECT_NEAR(Gain(*projected, kProjectedLoads, kInMemory), 2, 0.2);
  EXPECT_TRUE(RequirePossible(profile));
  EXPECT_TRUE(projected->kept.empty());
}

TEST(Project, ACacheCanBeTakenAway) {
  const auto projected = Projected({"remove L2"});
  ASSERT_TRUE(projected) << projected.error().message;
  EXPECT_EQ(projected->profile.levels.size(), 2u);
  EXPECT_NEAR(1 / Real(RateAt(*projected->profile.FindCurve(kProjectedChain), kInL2)), 80e-9, 4e-9);
  EXPECT_EQ(ProjectionRefusal("remove memory"), "memory cannot be removed");
}

TEST(Project, AFasterClockLeavesMemoryAlone) {
  const auto projected = Projected({"clock=x2"});
  ASSERT_TRUE(projected) << projected.error().message;
  EXPECT_NEAR(Gain(*projected, kProjectedChain, kInL1), 2, 0.1);
  EXPECT_NEAR(Gain(*projected, kProjectedLoads, kInL2), 2, 0.1);
  EXPECT_EQ(Gain(*projected, kProjectedChain, kInMemory), 1);
  const Measured& flops = projected->profile.FindRate("fp64 fused vector")->figure;
  EXPECT_DOUBLE_EQ(flops.Value(), 134e9);
  EXPECT_DOUBLE_EQ(Real(flops.low), 132e9);
  EXPECT_EQ(OriginOf(flops), Origin::kProjected);
  EXPECT_DOUBLE_EQ(projected->profile.FindRate("branch misprediction")->figure.Value(), 2e-9);
}

TEST(Project, DoubtsWhatItCouldNotProject) {
  const auto projected = Projected({"memory.bandwidth=x2"});
  ASSERT_TRUE(projected);
  const Measured& triad = projected->profile.FindRate("triad")->figure;
  EXPECT_EQ(OriginOf(triad), Origin::kMeasured);
  EXPECT_EQ(triad.verdict, Verdict::kDoubtful);
  EXPECT_EQ(triad.reason, "copied from example, not projected");
  EXPECT_EQ(projected->profile.graphs[0].points[0].y.verdict, Verdict::kDoubtful);
  EXPECT_TRUE(projected->profile.discovered.empty());
}

TEST(Project, SaysWhereItComesFrom) {
  const auto projected = Projected({"memory.bandwidth=x2", "clock=x1.2"});
  ASSERT_TRUE(projected);
  EXPECT_EQ(projected->profile.name, "future");
  EXPECT_EQ(projected->profile.origin, Origin::kProjected);
  EXPECT_EQ(projected->profile.derived_from, "example: memory.bandwidth=x2; clock=x1.2");
}

TEST(Project, WidensIntervalsByTheErrorOfTheModel) {
  const auto projected = Projected({"memory.latency=x0.5"});
  ASSERT_TRUE(projected);
  const Measured rate = projected->profile.FindCurve(kProjectedChain)->points.back().rate;
  const auto model = std::ranges::find(projected->before, kProjectedChain, &CurveModel::key);
  ASSERT_NE(model, projected->before.end());
  EXPECT_GT(model->usual_error, 0);
  EXPECT_DOUBLE_EQ(Real(rate.high), rate.Value() * (1 + model->usual_error));
}

TEST(Project, KeepsACurveThatItCannotRebuild) {
  Profile profile = NoisyMachine();
  profile.curves = {{kProjectedChain, {{4096, Plain(1e9), {}}}}};
  const Change change = *ParseChange("memory.latency=x0.5");
  const auto projected = Project(profile, std::span(&change, 1), "future");
  ASSERT_TRUE(projected);
  EXPECT_THAT(projected->kept,
              testing::ElementsAre("load chained, 8 B: load chained, 8 B has 1 points, too few to "
                                   "fit the times of 3 levels"));
  const CurvePoint& point = projected->profile.FindCurve(kProjectedChain)->points[0];
  EXPECT_EQ(point.rate.verdict, Verdict::kDoubtful);
  EXPECT_EQ(point.rate.Value(), 1e9);
}

TEST(Project, WorksFromLevelsAlone) {
  Profile profile = NoisyMachine();
  profile.curves.clear();
  const Change change = *ParseChange("memory.latency=x0.5");
  const auto projected = Project(profile, std::span(&change, 1), "future");
  ASSERT_TRUE(projected);
  // The TLB of 64 entries maps a sixteenth of the 4 MiB; other loads take 3 ns longer.
  EXPECT_NEAR(1 / projected->profile.FindCurve(kProjectedChain)->points.back().rate.Value(),
              40e-9 + 3e-9 * 15 / 16, 1e-12);
}

TEST(Project, RefusesImpossibleMachines) {
  EXPECT_EQ(ProjectionRefusal("L2.bytes=16KiB"),
            "the projected machine is impossible: levels[1].bytes: L2 with 16 KiB is not larger "
            "than L1 with 32 KiB");
  EXPECT_EQ(
      ProjectionRefusal("L2.ways=7"),
      "the projected machine is impossible: levels[1].ways: 7 ways do not divide its 16384 lines");
  EXPECT_EQ(
      ProjectionRefusal("memory.latency=1ns"),
      "the latency of memory would be 1 ns, less than half that of L2, which is closer to the "
      "core");
  EXPECT_EQ(ProjectionRefusal("add L2 bytes=8MiB latency=9ns bandwidth=9GB/s"),
            "the projected machine is impossible: levels[2].name: 'L2' is listed twice");
}

TEST(Warped, FollowsTheCapacities) {
  const std::array from = {32.0, 1024.0};
  const std::array to = {32.0, 4096.0};
  EXPECT_DOUBLE_EQ(Warped(32, from, to), 32);
  EXPECT_DOUBLE_EQ(Warped(1024, from, to), 4096);
  EXPECT_DOUBLE_EQ(Warped(2048, from, to), 8192);
  EXPECT_DOUBLE_EQ(Warped(16, from, to), 16);
  EXPECT_NEAR(Warped(181.02, from, to), 362.04, 0.01);  // the middle of both
}

TEST(ParseChange, NamesWhatItDoesNotKnow) {
  EXPECT_EQ(ProjectionRefusal("L3.bytes=2MiB"), "there is no level 'L3'; did you mean L1?");
  EXPECT_EQ(ProjectionRefusal("L2.latancy=x2"), "a level has no 'latancy'; did you mean latency?");
  EXPECT_EQ(ProjectionRefusal("memory.bandwidth=x-2"),
            "'x-2' is not a factor from x0.001 to x1000");
  EXPECT_EQ(ProjectionRefusal("memory.bandwidth=x1e6"),
            "'x1e6' is not a factor from x0.001 to x1000");
  EXPECT_EQ(ProjectionRefusal("clock=3GHz"),
            "the clock is changed by a factor, such as x1.2, not to '3GHz'");
  EXPECT_THAT(ProjectionRefusal("faster"),
              testing::StartsWith("'faster' is not a change; write L2.bytes="));
  EXPECT_THAT(ProjectionRefusal(""), testing::StartsWith("'' is not a change"));
  EXPECT_EQ(
      ProjectionRefusal("add L3 bytes=8MiB"),
      "the added level L3 needs bytes, latency and bandwidth: add L3 bytes=32MiB latency=20ns "
      "bandwidth=30GB/s");
  EXPECT_EQ(ProjectionRefusal("add L3 8MiB"), "'8MiB' of the added level L3 is not FIELD=VALUE");
}

TEST(ParseChange, KeepsItsText) {
  const auto change = ParseChange("L1.load=x1.5");
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kind, Change::Kind::kScale);
  EXPECT_EQ(change->level, "L1");
  EXPECT_EQ(change->field, LevelField::kLoad);
  EXPECT_EQ(change->value, 1.5);
  EXPECT_EQ(change->text, "L1.load=x1.5");
}

}  // namespace
}  // namespace tare::machine_profile
