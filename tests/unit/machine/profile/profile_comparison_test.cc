// profile_comparison_test.cc: tests the comparison of two profiles.
#include "machine/profile/profile_comparison.h"

#include <gtest/gtest.h>

#include "tests/unit/machine/profile/example_profile.h"

namespace tare::machine_profile {
namespace {

constexpr CurveKey kKey{Access::kLoad, Pattern::kStrided, 1, 8};

TEST(RatioOf, TakesTheCornersOfBothIntervals) {
  const Measured ratio = RatioOf(Within(10, 8, 12), Within(20, 18, 24));
  EXPECT_DOUBLE_EQ(ratio.Value(), 2);
  EXPECT_DOUBLE_EQ(Real(ratio.low), 18.0 / 12);
  EXPECT_DOUBLE_EQ(Real(ratio.high), 24.0 / 8);
  EXPECT_FALSE(Agrees(ratio));
  EXPECT_TRUE(Agrees(RatioOf(Within(10, 8, 12), Within(13, 12, 14))));
}

TEST(RatioOf, IsNoBetterThanWhatItIsMadeOf) {
  const Measured ratio = RatioOf(Within(10, 8, 12), Doubtful(Within(20, 18, 24), "one run"));
  EXPECT_EQ(ratio.verdict, Verdict::kDoubtful);
  EXPECT_EQ(ratio.reason, "one run");
}

TEST(RatioOf, HasNoIntervalWhereOneHasNone) {
  const Measured ratio = RatioOf(Plain(10), Within(20, 18, 24));
  EXPECT_FALSE(ratio.low);
  EXPECT_FALSE(Agrees(ratio));
}

TEST(RateAt, IsAStraightLineOfLogarithms) {
  const Curve curve{kKey, {{1024, Within(16, 8, 32), {}}, {4096, Within(4, 2, 8), {}}}};
  EXPECT_DOUBLE_EQ(Real(RateAt(curve, 1024)), 16);
  EXPECT_NEAR(Real(RateAt(curve, 2048)), 8, 1e-12);
  EXPECT_NEAR(Real(RateAt(curve, 2048).value_or(Measured{}).low), 4, 1e-12);
  EXPECT_NEAR(Real(RateAt(curve, 2048).value_or(Measured{}).high), 16, 1e-12);
  EXPECT_FALSE(RateAt(curve, 1000));
  EXPECT_FALSE(RateAt(curve, 5000));
}

TEST(RateAt, IsNoBetterThanItsNeighbours) {
  Curve curve{kKey, {{1024, Plain(16), {}}, {4096, Plain(4, Origin::kProjected), {}}}};
  curve.points[0].rate.verdict = Verdict::kDoubtful;
  curve.points[0].rate.reason = "noise";
  const Measured between = RateAt(curve, 2048).value_or(Measured{});
  EXPECT_EQ(between.verdict, Verdict::kDoubtful);
  EXPECT_EQ(between.reason, "noise");
  EXPECT_EQ(OriginOf(between), Origin::kProjected);
}

TEST(Compare, AProfileAgreesWithItself) {
  const Comparison comparison = Compare(ExampleProfile(), ExampleProfile());
  EXPECT_EQ(comparison.compared, 2u);
  EXPECT_EQ(comparison.AgreeingShare(), 1.0);
  ASSERT_EQ(comparison.curves.size(), 2u);
  EXPECT_DOUBLE_EQ(comparison.curves[0].median_ratio, 1);
  EXPECT_TRUE(comparison.only_first.empty());
}

TEST(Compare, CountsThePointsThatDoNotAgree) {
  Profile first = ExampleProfile();
  Profile second = ExampleProfile();
  second.curves[0].points[0].rate = Within(3e9, 2.9e9, 3.1e9);
  second.curves[0].points.insert(second.curves[0].points.begin() + 1,
                                 {8192, Within(2.8e9, 1e9, 4e9), {}});
  const Comparison comparison = Compare(first, second);
  ASSERT_EQ(comparison.curves[0].points.size(), 3u);
  // A size that only one of them has is shown but not compared.
  EXPECT_EQ(comparison.curves[0].compared, 2u);
  EXPECT_EQ(comparison.curves[0].agree, 1u);
  EXPECT_DOUBLE_EQ(comparison.curves[0].points[0].ratio.Value(), 1.5);
  EXPECT_NEAR(Real(comparison.AgreeingShare()), 1.0 / 2, 1e-12);
}

TEST(Compare, WithoutIntervalsNothingIsCompared) {
  Profile profile = ExampleProfile();
  profile.curves = {{kKey, {{4096, Plain(1e9), {}}}}};
  EXPECT_EQ(Compare(profile, profile).AgreeingShare(), std::nullopt);
}

TEST(Compare, PairsByNameAndLeavesTheRestAlone) {
  Profile first = ExampleProfile();
  Profile second = ExampleProfile();
  second.levels.insert(second.levels.end() - 1, Cache("L3", 8 << 20, 16));
  second.rates[1].unit = "GB/s";
  second.curves[1].key.access = Access::kStore;
  const Comparison comparison = Compare(first, second);
  ASSERT_EQ(comparison.levels.size(), 4u);
  EXPECT_EQ(comparison.levels[2].name, "L3");
  EXPECT_FALSE(comparison.levels[2].first);
  EXPECT_TRUE(comparison.levels[2].second);
  EXPECT_EQ(comparison.levels[3].name, "memory");
  ASSERT_EQ(comparison.rates.size(), 4u);
  EXPECT_DOUBLE_EQ(comparison.rates[0].ratio.value_or(Measured{}).Value(), 1);
  EXPECT_FALSE(comparison.rates[1].ratio);
  EXPECT_EQ(comparison.only_first.size(), 1u);
  EXPECT_EQ(comparison.only_second.size(), 1u);
}

}  // namespace
}  // namespace tare::machine_profile
