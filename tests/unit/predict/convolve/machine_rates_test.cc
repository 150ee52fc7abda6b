// machine_rates_test.cc: tests that costs follow from a profile.
#include "predict/convolve/machine_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "predict/convolve/loop_work.h"
#include "tests/unit/predict/convolve/example_signature.h"

namespace tare::convolve {
namespace {

using machine_profile::ParseChange;
using machine_profile::Profile;
using machine_profile::Within;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(RatesOf, TurnsBandwidthsIntoTheTimeOfALine) {
  const auto rates = RatesOf(ExampleMachine());
  ASSERT_TRUE(rates.has_value()) << rates.error().message;
  ASSERT_EQ(rates->costs.levels.size(), 3U);
  // Memory: 64 bytes at 8 GB/s are 8 ns; stores at 4 GB/s take 16 ns, 8 more than the load.
  const LevelCosts& memory = rates->costs.levels[2];
  EXPECT_NEAR(memory.stream, 8e-9, 1e-15);
  EXPECT_NEAR(memory.write, 8e-9, 1e-15);
  EXPECT_NEAR(memory.latency, 80e-9, 1e-15);
  EXPECT_NEAR(memory.random, 8e-9, 1e-15);  // ten lines in flight
  EXPECT_NEAR(rates->costs.levels[1].stream, 2e-9, 1e-15);
  EXPECT_THAT(rates->derived, IsEmpty());
  EXPECT_THAT(rates->caveats, IsEmpty());
}

TEST(RatesOf, TakesLoadsOfWordsFromTheCurveOfTheFirstCache) {
  Profile profile = ExampleMachine();
  using enum machine_profile::Access;
  profile.curves = {{{kLoad, machine_profile::Pattern::kStrided, 1, 8},
                     {{4096, machine_profile::Plain(3e9), {}},
                      {16384, machine_profile::Plain(2.5e9), {}},
                      {1 << 22, machine_profile::Plain(9e9), {}}}}};
  const auto rates = RatesOf(profile);
  ASSERT_TRUE(rates.has_value());
  EXPECT_NEAR(rates->costs.core.each[IndexOf(signature::Work::kLoad)], 1 / 3e9, 1e-15);
}

machine_profile::Curve Curve(const machine_profile::CurveKey& key,
                             const std::vector<std::pair<std::uint64_t, double>>& seconds) {
  machine_profile::Curve curve{key, {}};
  for (const auto& [bytes, each] : seconds) {
    curve.points.push_back({bytes, machine_profile::Plain(1 / each), {}});
  }
  return curve;
}

// Eight words take 4 ns in the first cache and 5 ns in the second, whose line takes 2 ns: 3 of the
// 4 ns are not hidden.
TEST(RatesOf, FindsTheLoadsThatLinesDoNotHide) {
  using enum machine_profile::Access;
  using machine_profile::Pattern;
  Profile profile = ExampleMachine();
  profile.curves = {
      Curve({kLoad, Pattern::kStrided, 1, 8}, {{4096, 0.5e-9}, {128 << 10, 0.625e-9}}),
      Curve({kLoad, Pattern::kStrided, 1, 64}, {{4096, 0.5e-9}, {128 << 10, 2e-9}})};
  const auto rates = RatesOf(profile);
  ASSERT_TRUE(rates.has_value());
  EXPECT_NEAR(rates->costs.levels[1].exposed, 0.75, 1e-9);
}

// 80 ns and a miss of 20 ns are known; 60 ns more are page walks, half of them from 64 MiB on.
TEST(RatesOf, FindsPageWalksThatTakeLongerInLargeSets) {
  Profile profile = ExampleMachine();
  profile.tlbs[0].entries = 1024;
  profile.curves = {
      Curve({machine_profile::Access::kLoad, machine_profile::Pattern::kChained, 1, 8},
            {{4096, 1e-9},
             {16 << 20, 101e-9},
             {32 << 20, 110e-9},
             {64 << 20, 135e-9},
             {128 << 20, 160e-9}})};
  const auto rates = RatesOf(profile);
  ASSERT_TRUE(rates.has_value());
  ASSERT_TRUE(rates->far_walk.has_value());
  EXPECT_EQ(rates->far_walk->pages, 16384U);
  EXPECT_NEAR(rates->far_walk->seconds, 60e-9, 1e-12);
  ASSERT_EQ(rates->hierarchy.tlbs.size(), 2U);
  EXPECT_EQ(rates->costs.tlb_misses.size(), 2U);
  // Random loads take 8 ns and make walks of 80 ns.
  EXPECT_NEAR(rates->costs.tlb_overlapped[1], 6e-9, 1e-15);
  const std::array changes = {*ParseChange("memory.bandwidth=x2")};
  const auto changed = ChangedRates(profile, *rates, changes, "faster");
  ASSERT_TRUE(changed.has_value());
  EXPECT_EQ(changed->costs.tlb_misses, rates->costs.tlb_misses);
}

TEST(RatesOf, DerivesFromTheClockWhatAnOlderProfileLacks) {
  Profile profile = ExampleMachine();
  std::erase_if(profile.rates, [](const machine_profile::Rate& rate) {
    return rate.name != "clock" && rate.name != "widest element";
  });
  const auto rates = RatesOf(profile);
  ASSERT_TRUE(rates.has_value());
  EXPECT_THAT(rates->derived, Contains("mixed instructions"));
  EXPECT_THAT(rates->derived, Contains("overlap"));
  EXPECT_NEAR(rates->costs.core.issue, 0.25e-9, 1e-15);
  ASSERT_EQ(rates->caveats.size(), 1U);
  EXPECT_EQ(rates->caveats[0].key, CaveatId::kDerivedRates);
}

TEST(RatesOf, RefusesAMachineWithoutClock) {
  Profile profile = ExampleMachine();
  profile.rates.clear();
  const auto rates = RatesOf(profile);
  ASSERT_FALSE(rates.has_value());
  EXPECT_EQ(rates.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(rates.error().message, HasSubstr("has no clock"));
}

TEST(RatesOf, RefusesAMachineWithoutCache) {
  Profile profile = ExampleMachine();
  profile.levels.erase(profile.levels.begin(), profile.levels.begin() + 2);
  const auto rates = RatesOf(profile);
  ASSERT_FALSE(rates.has_value());
  EXPECT_THAT(rates.error().message, HasSubstr("no cache"));
}

TEST(RatesOf, DerivesWhatALevelLacks) {
  Profile profile = ExampleMachine();
  profile.levels.back().load.reset();
  profile.levels.back().latency.reset();
  const auto rates = RatesOf(profile);
  ASSERT_TRUE(rates.has_value());
  const auto& levels = rates->costs.levels;
  EXPECT_DOUBLE_EQ(levels.back().latency, 6 * levels[levels.size() - 2].latency);
  EXPECT_DOUBLE_EQ(levels.back().stream, levels.back().latency / 10);
  EXPECT_THAT(rates->derived, testing::IsSupersetOf({std::string("latency of memory"),
                                                     std::string("load bandwidth of memory")}));
  const auto memory = std::ranges::find(rates->spreads, "memory", &RateSpread::what);
  ASSERT_NE(memory, rates->spreads.end());
  EXPECT_DOUBLE_EQ(memory->slow.levels.back().latency, 2 * levels.back().latency);
  EXPECT_DOUBLE_EQ(memory->fast.levels.back().latency, levels.back().latency / 2);
}

TEST(RatesOf, HasASpreadForEachGroupWithAnInterval) {
  Profile profile = ExampleMachine();
  profile.levels.back().load = Within(8e9, 6e9, 10e9);
  const auto rates = RatesOf(profile);
  ASSERT_TRUE(rates.has_value());
  ASSERT_EQ(rates->spreads.size(), 1U);
  EXPECT_EQ(rates->spreads[0].what, "memory");
  EXPECT_NEAR(rates->spreads[0].fast.levels[2].stream, 6.4e-9, 1e-15);
  EXPECT_NEAR(rates->spreads[0].slow.levels[2].stream, 64 / 6e9, 1e-15);
  // Other groups stay as they are.
  EXPECT_EQ(rates->spreads[0].slow.core, rates->costs.core);
}

TEST(RatesOf, MarksProjectedMachines) {
  Profile profile = ExampleMachine();
  profile.origin = machine_profile::Origin::kProjected;
  profile.derived_from = "example: memory.bandwidth=x2";
  const auto rates = RatesOf(profile);
  ASSERT_TRUE(rates.has_value());
  ASSERT_EQ(rates->caveats.size(), 1U);
  EXPECT_EQ(rates->caveats[0].key, CaveatId::kProjected);
}

TEST(ChangedRates, FollowTheChangedLevels) {
  const Profile profile = ExampleMachine();
  const auto base = RatesOf(profile);
  ASSERT_TRUE(base.has_value());
  const std::array changes = {*ParseChange("memory.bandwidth=x2"), *ParseChange("L2.bytes=2MiB"),
                              *ParseChange("TLB.entries=32")};
  const auto rates = ChangedRates(profile, *base, changes, "faster");
  ASSERT_TRUE(rates.has_value()) << rates.error().message;
  EXPECT_EQ(rates->name, "faster");
  EXPECT_EQ(rates->origin, machine_profile::Origin::kProjected);
  EXPECT_NEAR(rates->costs.levels[2].stream, 4e-9, 1e-15);
  EXPECT_EQ(rates->hierarchy.caches[1].bytes, 2U << 20);
  ASSERT_EQ(rates->hierarchy.tlbs.size(), 1U);
  EXPECT_EQ(rates->hierarchy.tlbs[0].entries, 32U);
  EXPECT_NEAR(rates->costs.tlb_misses[0], 20e-9, 1e-15);
}

TEST(ChangedRates, KeepTheRatesThatCurvesGave) {
  Profile profile = ExampleMachine();
  profile.curves = {{{machine_profile::Access::kLoad, machine_profile::Pattern::kStrided, 1, 8},
                     {{4096, machine_profile::Plain(4e9), {}}}}};
  const auto base = RatesOf(profile);
  ASSERT_TRUE(base.has_value());
  const std::array changes = {*ParseChange("clock=x2")};
  const auto rates = ChangedRates(profile, *base, changes, "faster");
  ASSERT_TRUE(rates.has_value()) << rates.error().message;
  // Four loads per cycle by the curve, at twice the clock.
  EXPECT_NEAR(rates->costs.core.each[IndexOf(signature::Work::kLoad)], 0.125e-9, 1e-15);
  EXPECT_NEAR(rates->costs.core.issue, 0.125e-9, 1e-15);
}

TEST(ChangedRates, RefusesImpossibleHierarchies) {
  const Profile profile = ExampleMachine();
  const auto base = RatesOf(profile);
  ASSERT_TRUE(base.has_value());
  const std::array changes = {*ParseChange("L2.bytes=16KiB")};
  const auto rates = ChangedRates(profile, *base, changes, "impossible");
  ASSERT_FALSE(rates.has_value());
  EXPECT_THAT(rates.error().message, HasSubstr("impossible"));
}

}  // namespace
}  // namespace tare::convolve
