// curve_test.cc: tests names of accesses, patterns and curves.
#include "machine/profile/curve.h"

#include <gtest/gtest.h>

namespace tare::machine_profile {
namespace {

TEST(CurveNames, ReadBack) {
  for (const Access access : {Access::kLoad, Access::kStore, Access::kUpdate}) {
    EXPECT_EQ(ParseAccess(Name(access)), access);
  }
  for (const Pattern pattern : {Pattern::kStrided, Pattern::kRandom, Pattern::kChained}) {
    EXPECT_EQ(ParsePattern(Name(pattern)), pattern);
  }
  EXPECT_EQ(ParseAccess("loads"), std::nullopt);
  EXPECT_EQ(ParsePattern(""), std::nullopt);
}

TEST(CurveNames, SayStrideAndElement) {
  EXPECT_EQ(CurveName({Access::kLoad, Pattern::kStrided, 4, 8}), "load stride 4, 8 B");
  EXPECT_EQ(CurveName({Access::kUpdate, Pattern::kRandom, 1, 16}), "update random, 16 B");
}

}  // namespace
}  // namespace tare::machine_profile
