// distance_costs_test.cc: tests that curves become costs by distance.
#include "predict/convolve/distance_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "predict/convolve/machine_rates.h"
#include "tests/unit/predict/convolve/example_signature.h"

namespace tare::convolve {
namespace {

using machine_profile::Access;
using machine_profile::Pattern;
using machine_profile::Profile;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(NonDecreasing, PoolsNeighboursThatFall) {
  EXPECT_THAT(NonDecreasing(std::array{1.0, 3.0, 2.0, 4.0}), ElementsAre(1, 2.5, 2.5, 4));
  EXPECT_THAT(NonDecreasing(std::array{3.0, 2.0, 1.0}), ElementsAre(2, 2, 2));
  EXPECT_THAT(NonDecreasing(std::vector<double>{}), IsEmpty());
}

constexpr std::uint64_t kNear = 32 << 10;
constexpr std::uint64_t kFar = 1 << 20;

// Seconds of an access by its distance: a step at 32 KiB and one at 1 MiB.
double StepsOf(double bytes, double second, double memory) {
  if (bytes <= kNear) return 1e-10;
  return bytes <= kFar ? second : memory;
}

// With all distances up to `bytes` equally often.
double MeanOf(double bytes, double second, double memory) {
  const double first = std::min<double>(bytes, kNear);
  const double middle = std::clamp<double>(bytes, kNear, kFar) - kNear;
  return (first * 1e-10 + middle * second + std::max(bytes - kFar, 0.0) * memory) / bytes;
}

machine_profile::Curve CurveOf(const machine_profile::CurveKey& key, auto seconds) {
  machine_profile::Curve curve{key, {}};
  for (double bytes = 4096; bytes <= 64 << 20; bytes *= 1.18920711500272) {
    const auto whole = static_cast<std::uint64_t>(bytes);
    curve.points.push_back(
        {whole, machine_profile::Plain(1 / seconds(static_cast<double>(whole))), {}});
  }
  return curve;
}

Profile MachineWithCurves() {
  Profile profile = ExampleMachine();
  profile.curves = {CurveOf({Access::kLoad, Pattern::kStrided, 1, 64},
                            [](double bytes) { return StepsOf(bytes, 2e-9, 8e-9); }),
                    CurveOf({Access::kStore, Pattern::kStrided, 1, 64},
                            [](double bytes) { return StepsOf(bytes, 3e-9, 14e-9); }),
                    CurveOf({Access::kLoad, Pattern::kChained, 1, 8},
                            [](double bytes) { return StepsOf(bytes, 5e-9, 90e-9); }),
                    CurveOf({Access::kLoad, Pattern::kRandom, 1, 8},
                            [](double bytes) { return MeanOf(bytes, 2e-9, 12e-9); })};
  return profile;
}

TEST(DistanceSteps, AreNoneWithoutTheCurves) {
  EXPECT_THAT(DistanceSteps(ExampleMachine()), IsEmpty());
  Profile profile = MachineWithCurves();
  profile.curves.pop_back();
  EXPECT_THAT(DistanceSteps(profile), IsEmpty());
}

TEST(CostsByDistance, AreThoseOfTheCurves) {
  const Profile profile = MachineWithCurves();
  const auto steps = DistanceSteps(profile);
  ASSERT_GT(steps.size(), 10U);
  EXPECT_GT(steps.front(), kNear);
  EXPECT_LE(steps.back(), 32U << 20);
  const auto costs =
      CostsByDistance(profile, steps, 64, [](const auto& point) { return 1 / point.rate.Value(); });
  ASSERT_EQ(costs.size(), steps.size() + 1);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const bool second = i < steps.size() && steps[i] <= kFar;
    const bool mixed = i < steps.size() && !second && (i == 0 || steps[i - 1] < kFar);
    if (mixed) continue;  // a step on both sides of the second cache
    SCOPED_TRACE(i);
    EXPECT_THAT(costs[i].stream, DoubleNear(second ? 2e-9 : 8e-9, 1e-12));
    EXPECT_THAT(costs[i].write, DoubleNear(second ? 1e-9 : 6e-9, 1e-12));
    EXPECT_THAT(costs[i].latency, DoubleNear(second ? 5e-9 : 90e-9, 1e-12));
    // From a curve in which these lines have a part only.
    EXPECT_THAT(costs[i].random, DoubleNear(second ? 2e-9 : 12e-9, second ? 0.3e-9 : 1e-9));
  }
}

TEST(RatesOf, UsesDistancesWhereThereAreCurves) {
  const auto rates = RatesOf(MachineWithCurves());
  ASSERT_TRUE(rates.has_value()) << rates.error().message;
  EXPECT_TRUE(rates->by_distance);
  EXPECT_EQ(rates->costs.levels.size(), rates->hierarchy.caches.size() + 1);
  EXPECT_EQ(rates->level_names.size(), rates->costs.levels.size());
  EXPECT_EQ(rates->level_names.front(), "L1");
  EXPECT_EQ(rates->level_names[1], "L2");
  EXPECT_EQ(rates->level_names.back(), "memory");
  EXPECT_FALSE(RatesOf(ExampleMachine())->by_distance);
}

TEST(ChangedRates, MoveTheStepsWithTheCapacitiesAndScaleTheirCosts) {
  const Profile profile = MachineWithCurves();
  const auto base = RatesOf(profile);
  ASSERT_TRUE(base.has_value());
  const std::array changes = {*machine_profile::ParseChange("memory.bandwidth=x2"),
                              *machine_profile::ParseChange("L2.bytes=2MiB")};
  const auto rates = ChangedRates(profile, *base, changes, "larger");
  ASSERT_TRUE(rates.has_value()) << rates.error().message;
  ASSERT_EQ(rates->costs.levels.size(), base->costs.levels.size());
  EXPECT_NEAR(rates->costs.levels.back().stream, base->costs.levels.back().stream / 2, 1e-12);
  EXPECT_NEAR(rates->costs.levels[1].stream, base->costs.levels[1].stream, 1e-15);
  EXPECT_NEAR(static_cast<double>(rates->hierarchy.caches.back().bytes),
              2 * static_cast<double>(base->hierarchy.caches.back().bytes), 128);
}

}  // namespace
}  // namespace tare::convolve
