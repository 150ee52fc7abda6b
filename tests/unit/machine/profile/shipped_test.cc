// shipped_test.cc: tests the machine profiles that tare ships.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "machine/profile/memory_model.h"
#include "machine/profile/profile_catalogue.h"
#include "machine/profile/profile_validity.h"
#include "machine/profile/projection.h"

namespace tare::machine_profile {
namespace {

std::vector<NamedProfile> Shipped() {
  const std::filesystem::path directories[] = {std::filesystem::path(TARE_SOURCE_DIR) /
                                               "data/machines"};
  return List(directories);
}

// Returns an empty profile for one that cannot be read, which the first test reports.
Profile ProfileOf(const NamedProfile& named) { return named.profile.value_or(Profile{}); }

TEST(ShippedMachines, AreSixOrMoreAndAllCanBeRead) {
  const auto shipped = Shipped();
  EXPECT_GE(shipped.size(), 6u);
  for (const NamedProfile& named : shipped) {
    ASSERT_TRUE(named.profile) << named.reason;
    EXPECT_EQ(ProfileOf(named).name, named.name);
    EXPECT_FALSE(ProfileOf(named).source.empty());
    EXPECT_TRUE(RequireName(named.name));
  }
}

TEST(ShippedMachines, NeverPassForMeasuredOnes) {
  for (const NamedProfile& named : Shipped()) {
    ASSERT_TRUE(named.profile) << named.reason;
    const Profile profile = ProfileOf(named);
    if (profile.origin == Origin::kMeasured) {
      EXPECT_FALSE(profile.time.empty()) << named.name;
      continue;
    }
    for (const Level& level : profile.levels) {
      EXPECT_EQ(level.origin, profile.origin) << named.name;
      EXPECT_NE(OriginOf(level.load.value_or(WithOrigin(Origin::kGiven, {}))), Origin::kMeasured);
    }
    EXPECT_TRUE(profile.curves.empty()) << named.name;
  }
}

TEST(ShippedMachines, GiveTheCurvesThatTheirFiguresSufficeFor) {
  for (const NamedProfile& named : Shipped()) {
    ASSERT_TRUE(named.profile) << named.reason;
    const Profile full = WithCurves(ProfileOf(named));
    const auto possible = RequirePossible(full);
    EXPECT_TRUE(possible) << named.name << ": " << possible.error().message;
    if (named.name == "textbook-two-level") {
      EXPECT_EQ(full.curves.size(), UsualCurves(8).size());
    }
    if (named.name == "skylake-client") {
      EXPECT_NE(full.FindCurve({Access::kLoad, Pattern::kStrided, 1, 32}), nullptr);
      EXPECT_EQ(full.FindCurve({Access::kLoad, Pattern::kChained, 1, 8}), nullptr);
    }
  }
}

// 8 bytes in 1 ns, ten cycles, a hundred cycles, and a line of 64 bytes in 64 ns for 8 elements.
// The TLB maps 256 KiB: beyond, it misses once per page of 512 elements, and in 15 of 16 random
// loads from 4 MiB; a miss takes 20 ns.
TEST(ShippedMachines, TheTextbookOneCanBeCheckedByHand) {
  for (const NamedProfile& named : Shipped()) {
    if (named.name != "textbook-two-level") continue;
    const Profile full = WithCurves(ProfileOf(named));
    const Curve& loads = *full.FindCurve({Access::kLoad, Pattern::kStrided, 1, 8});
    const Curve& chain = *full.FindCurve({Access::kLoad, Pattern::kChained, 1, 8});
    EXPECT_NEAR(loads.points.front().rate.Value(), 1e9, 1);
    EXPECT_NEAR(loads.points.back().rate.Value(), 1e9 / (8 + 20.0 / 512), 1);
    EXPECT_NEAR(chain.points.front().rate.Value(), 1e9, 1);
    EXPECT_NEAR(chain.points.back().rate.Value(), 1e9 / (100 + 20 * 15.0 / 16), 1);
    return;
  }
  FAIL() << "it is not there";
}

}  // namespace
}  // namespace tare::machine_profile
