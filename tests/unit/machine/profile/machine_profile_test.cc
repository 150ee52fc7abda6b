// machine_profile_test.cc: tests lookups in a profile.
#include "machine/profile/machine_profile.h"

#include <gtest/gtest.h>

#include "tests/unit/machine/profile/example_profile.h"

namespace tare::machine_profile {
namespace {

TEST(Profile, FindsCurvesAndRates) {
  const Profile profile = ExampleProfile();
  const CurveKey key{Access::kUpdate, Pattern::kRandom, 1, 16};
  ASSERT_NE(profile.FindCurve(key), nullptr);
  EXPECT_EQ(profile.FindCurve(key)->key, key);
  EXPECT_EQ(profile.FindCurve({Access::kStore, Pattern::kRandom, 1, 16}), nullptr);
  ASSERT_NE(profile.FindRate("triad"), nullptr);
  EXPECT_EQ(profile.FindRate("triad")->unit, "B/s");
  EXPECT_EQ(profile.FindRate("copy"), nullptr);
}

TEST(Discovery, DisagreesOutsideOfItsInterval) {
  Discovery discovery{"L1 capacity", "B", Within(32768, 30000, 34000), "", 33000.0};
  EXPECT_FALSE(discovery.Disagrees());
  discovery.reported = 65536;
  EXPECT_TRUE(discovery.Disagrees());
  discovery.reported.reset();
  EXPECT_FALSE(discovery.Disagrees());
}

TEST(Discovery, WithoutAnIntervalHasToBeEqual) {
  Discovery discovery{"line", "B", Plain(64), "", 64.0};
  EXPECT_FALSE(discovery.Disagrees());
  discovery.reported = 128;
  EXPECT_TRUE(discovery.Disagrees());
}

}  // namespace
}  // namespace tare::machine_profile
