// capacity_residency_test.cc: tests capacity and ways of simulated caches with random page
// placement.
#include "machine/survey/capacity_residency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "machine/survey/capacity_fit.h"
#include "tests/unit/machine/survey/byte_units.h"

namespace tare::survey {
namespace {

constexpr double kPage = 4096;

// Pages map to groups of sets at random; a group keeps as many as it has ways.
double ResidentPages(std::uint64_t pages, std::uint64_t groups, std::uint64_t ways,
                     stats::Generator& generator) {
  std::vector<std::uint64_t> group_pages(groups, 0);
  for (std::uint64_t i = 0; i < pages; ++i) ++group_pages[generator.Below(groups)];
  std::uint64_t resident = 0;
  for (const std::uint64_t one : group_pages) resident += std::min(one, ways);
  return static_cast<double>(resident);
}

// A fraction `taken` of the resident lines is evicted by other activity.
std::vector<Residency> SyntheticSets(std::uint64_t groups, std::uint64_t ways, double taken,
                                     stats::Generator& generator) {
  std::vector<Residency> sets;
  for (double pages = 24; pages <= 4.0 * static_cast<double>(groups * ways); pages *= 1.12) {
    const auto whole = static_cast<std::uint64_t>(pages);
    Residency set{static_cast<double>(whole) * kPage};
    for (int i = 0; i < 12; ++i) {
      const double lost = taken * (0.5 + generator.Unit());
      set.resident.push_back(ResidentPages(whole, groups, ways, generator) * (1 - lost) * kPage);
    }
    sets.push_back(set);
  }
  return sets;
}

TEST(CapacityOf, FindsTheCapacityForAnyPagePlacement) {
  stats::Generator generator(1);
  const auto found = CapacityOf(SyntheticSets(32, 8, 0, generator), generator);
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->Value(), kMi, 0.03 * kMi);
  EXPECT_LE(found->Low(), found->Value());
  EXPECT_GE(found->High(), found->Value());
}

TEST(CapacityOf, TwentyWaysOf1280KiBAreDistinguishedFromAMebibyte) {
  stats::Generator generator(2);
  const auto found = CapacityOf(SyntheticSets(16, 20, 0.03, generator), generator);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(BuiltSize(found->Value()), 1.25 * kMi);
}

TEST(CapacityOf, DisturbedCacheIsStillFound) {
  stats::Generator generator(3);
  const auto found = CapacityOf(SyntheticSets(32, 8, 0.1, generator), generator);
  ASSERT_TRUE(found.has_value());
  EXPECT_LT(found->Value(), kMi);
  EXPECT_EQ(BuiltSize(found->Value()), kMi);
}

TEST(CapacityOf, SetsOfWhichNothingStaysGiveNoCapacity) {
  stats::Generator generator(5);
  const std::vector<Residency> sets = {{kMi, {0, 0, 0}}, {2 * kMi, {0, 0, 0.5 * kMi}}};
  EXPECT_FALSE(CapacityOf(sets, generator).has_value());
}

TEST(CapacityOf, SetsThatAllFitGiveNoCapacity) {
  stats::Generator generator(4);
  const std::vector<Residency> sets = {{kMi, {kMi, kMi}}, {2 * kMi, {2 * kMi, 1.99 * kMi}}};
  EXPECT_FALSE(CapacityOf(sets, generator).has_value());
}

TEST(WaysOf, FollowFromHowEarlySetsFill) {
  for (const std::uint64_t ways : {4u, 8u, 16u}) {
    stats::Generator generator(ways);
    const auto sets = SyntheticSets(256 / ways, ways, 0.02, generator);
    const auto found = WaysOf(sets, kMi, kPage, generator);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->ways, ways);
  }
}

TEST(WaysOf, OneWayLessThanBuiltDoesNotMisleadIt) {
  stats::Generator generator(9);
  const auto found = WaysOf(SyntheticSets(32, 7, 0, generator), kMi, kPage, generator);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->ways, 8u);
}

TEST(WaysOf, NothingWithoutSetsNearTheCapacity) {
  stats::Generator generator(1);
  const std::vector<Residency> sets = {{10 * kMi, {kMi}}};
  EXPECT_FALSE(WaysOf(sets, kMi, kPage, generator).has_value());
}

}  // namespace
}  // namespace tare::survey
