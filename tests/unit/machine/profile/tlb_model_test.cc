// tlb_model_test.cc: tests that curves step where the reach of a TLB ends.
#include "machine/profile/tlb_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "machine/profile/memory_model.h"
#include "machine/profile/projection.h"
#include "tests/unit/machine/profile/example_profile.h"

namespace tare::machine_profile {
namespace {

using testing::HasSubstr;

constexpr CurveKey kStream = {Access::kLoad, Pattern::kStrided, 1, 8};
constexpr CurveKey kAnywhere = {Access::kLoad, Pattern::kRandom, 1, 8};

Tlb TlbOf(std::uint64_t entries) {
  return {"TLB 1", 4096, entries, Origin::kMeasured, Plain(20e-9)};
}

TEST(TlbMissesPerAccess, BeginBeyondTheReach) {
  const Tlb tlb = TlbOf(64);  // 256 KiB
  EXPECT_EQ(TlbMissesPerAccess(tlb, kStream, 256 << 10), 0);
  // One page of 512 words at a time.
  EXPECT_DOUBLE_EQ(TlbMissesPerAccess(tlb, kStream, 512 << 10), 1.0 / 512);
  EXPECT_DOUBLE_EQ(TlbMissesPerAccess(tlb, kAnywhere, 512 << 10), 0.5);
  EXPECT_DOUBLE_EQ(TlbMissesPerAccess(tlb, {Access::kLoad, Pattern::kStrided, 1024, 8}, 1 << 20),
                   1);
}

TEST(TlbSeconds, LeavesOutOtherPageSizes) {
  const std::array tlbs = {TlbOf(64),
                           Tlb{"TLB of large pages", 2 << 20, 1, Origin::kMeasured, Plain(1)}};
  EXPECT_DOUBLE_EQ(TlbSeconds(tlbs, kAnywhere, 512 << 10), 0.5 * 20e-9);
}

Profile WithTlb() {
  Profile profile = ExampleProfile();
  profile.tlbs = {TlbOf(64)};
  profile.curves.clear();
  return WithCurves(profile);
}

double SecondsAt(const Profile& profile, const CurveKey& key, std::uint64_t bytes) {
  for (const CurvePoint& point : profile.FindCurve(key)->points) {
    if (point.bytes >= bytes) return 1 / point.rate.Value();
  }
  return 0;
}

// The third step of figure 1 of Carrington, Wolter and Snavely: a second cache that the TLB does
// not map whole.
TEST(WithCurves, StepsWhereTheReachOfTheTlbEnds) {
  const Profile profile = WithTlb();
  EXPECT_GT(SecondsAt(profile, kAnywhere, 512 << 10),
            SecondsAt(profile, kAnywhere, 200 << 10) + 5e-9);
}

TEST(Project, ChangesTheReachOfATlb) {
  const Profile profile = WithTlb();
  const std::array changes = {*ParseChange("TLB.entries=1024")};
  const auto projection = Project(profile, changes, "wide");
  ASSERT_TRUE(projection.has_value()) << projection.error().message;
  const Profile& wide = projection->profile;
  EXPECT_EQ(wide.tlbs[0].entries, 1024U);
  EXPECT_EQ(wide.tlbs[0].origin, Origin::kProjected);
  EXPECT_NEAR(SecondsAt(wide, kAnywhere, 512 << 10),
              SecondsAt(profile, kAnywhere, 512 << 10) - 0.5 * 20e-9, 1e-9);
  EXPECT_EQ(SecondsAt(wide, kAnywhere, 16 << 10), SecondsAt(profile, kAnywhere, 16 << 10));
}

TEST(Project, NamesTheTlbsThatThereAre) {
  const Profile profile = WithTlb();
  const std::array changes = {*ParseChange("TLB7.entries=1024")};
  const auto projection = Project(profile, changes, "wide");
  ASSERT_FALSE(projection.has_value());
  EXPECT_THAT(projection.error().message, HasSubstr("the TLBs are TLB1"));
}

TEST(Project, RefusesTlbsThatNoMachineHas) {
  const Profile profile = WithTlb();
  const std::array changes = {*ParseChange("TLB.page=3000")};
  EXPECT_FALSE(Project(profile, changes, "odd").has_value());
  for (const char* text :
       {"TLB.entries=0", "TLB.entries=many", "TLB.reach=1MiB", "TLB.miss=fast"}) {
    EXPECT_FALSE(ParseChange(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace tare::machine_profile
