// survey_plan_test.cc: tests the plan's curves, its grid and the grid's refinement.
#include "machine/survey/survey_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tare::survey {
namespace {

using machine_profile::Access;
using machine_profile::Pattern;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Curves, CoverEveryAccessStrideAndElement) {
  const auto keys = CurvesToMeasure(16, false);
  const std::set<machine_profile::CurveKey> distinct(keys.begin(), keys.end());
  EXPECT_EQ(distinct.size(), keys.size());
  EXPECT_EQ(keys.size(), 2u * 3u * 8u + 2u);
  EXPECT_TRUE(distinct.contains({Access::kUpdate, Pattern::kStrided, 64, 16}));
  EXPECT_TRUE(distinct.contains({Access::kStore, Pattern::kRandom, 1, 8}));
  EXPECT_TRUE(distinct.contains({Access::kLoad, Pattern::kChained, 1, 8}));
}

TEST(Curves, AQuickSurveyIsPartOfTheWholeOne) {
  const auto all = CurvesToMeasure(32, false);
  for (const auto& key : CurvesToMeasure(32, true)) {
    EXPECT_NE(std::ranges::find(all, key), all.end()) << machine_profile::CurveName(key);
  }
}

TEST(Sizes, ArePartsOfOctavesAndIncludeBothEnds) {
  EXPECT_THAT(CoarseSizes({1024, 8192}, 1), ElementsAre(1024, 2048, 4096, 8192));
  const auto sizes = CoarseSizes({1024, std::uint64_t{128} << 20}, 2);
  EXPECT_EQ(sizes.front(), 1024u);
  EXPECT_EQ(sizes.back(), std::uint64_t{128} << 20);
  EXPECT_TRUE(std::ranges::is_sorted(sizes));
  for (const auto size : sizes) EXPECT_EQ(size % 1024, 0u);
}

TEST(Sizes, RangesOfOneSizeAreFine) {
  EXPECT_THAT(CoarseSizes({4096, 4096}, 4), ElementsAre(4096));
}

TEST(Refinement, AddsTheMiddleOfAStep) {
  const std::vector<SizeRate> points = {{32768, 100}, {65536, 100}, {131072, 40}, {262144, 40}};
  EXPECT_THAT(SizesAroundSteps(points, 0.1), ElementsAre(NearestSize(92682)));
}

TEST(Refinement, LeavesFlatCurvesAlone) {
  const std::vector<SizeRate> points = {{1024, 100}, {2048, 103}, {4096, 99}};
  EXPECT_THAT(SizesAroundSteps(points, 0.1), IsEmpty());
}

TEST(Refinement, EndsOnTheFinestGrid) {
  std::vector<SizeRate> points = {{65536, 100}, {131072, 1}};
  for (int round = 0; round < 10; ++round) {
    for (const auto size : SizesAroundSteps(points, 0.1)) {
      points.push_back({size, size <= 70000 ? 100.0 : 1.0});
    }
    std::ranges::sort(points, {}, &SizeRate::bytes);
  }
  EXPECT_LE(points.size(), 9u);
  EXPECT_THAT(SizesAroundSteps(points, 0.1), IsEmpty());
}

}  // namespace
}  // namespace tare::survey
