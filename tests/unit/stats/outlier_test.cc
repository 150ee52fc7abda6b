// outlier_test.cc: tests of outlier.h.
#include "stats/outlier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace tare::stats {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Outliers, AreFoundByModifiedScore) {
  // Median 5.5, MAD 2.5: 0.6745 * 94.5 / 2.5 = 25.4961.
  const Outliers found = *FindOutliers(std::vector<double>{1, 2, 3, 100, 4, 5, 6, 7, 8, 9});
  EXPECT_THAT(found.indices, ElementsAre(3));
  EXPECT_NEAR(found.scores[3], 25.4961, 1e-9);
  EXPECT_NEAR(found.scores[0], -0.6745 * 4.5 / 2.5, 1e-12);
  EXPECT_FALSE(found.by_mean_deviation);
}

TEST(Outliers, DoNotHideEachOther) {
  // Two outliers of nine inflate the standard deviation so much that a limit of three misses them.
  const Outliers found = *FindOutliers(std::vector<double>{10, 11, 9, 10, 12, 11, 10, 500, 510});
  EXPECT_THAT(found.indices, ElementsAre(7, 8));
}

TEST(Outliers, AreFoundAmongEqualSamplesByTheMeanDeviation) {
  // Nineteen times 5 and once 6: MAD 0, mean deviation 1/20, score 1 / (1.253314 / 20) = 15.9577.
  std::vector<double> samples(20, 5.0);
  samples[4] = 6;
  const Outliers found = *FindOutliers(samples);
  EXPECT_TRUE(found.by_mean_deviation);
  EXPECT_THAT(found.indices, ElementsAre(4));
  EXPECT_NEAR(found.scores[4], 15.9577, 5e-5);
}

TEST(Outliers, DoNotExistAmongEqualSamples) {
  const Outliers found = *FindOutliers(std::vector<double>(5, 7.0));
  EXPECT_THAT(found.indices, IsEmpty());
  EXPECT_THAT(found.scores, Each(0.0));
  EXPECT_THAT(FindOutliers(std::vector<double>{7})->indices, IsEmpty());
}

TEST(Outliers, AreFoundAtTheEndsOfTheRange) {
  const double largest = std::numeric_limits<double>::max();
  EXPECT_THAT(FindOutliers(std::vector<double>{1, 2, 3, 4, largest})->indices, ElementsAre(4));
  EXPECT_THAT(FindOutliers(std::vector<double>{-largest, largest})->indices, IsEmpty());
}

TEST(Outliers, DependOnTheLimit) {
  const std::vector<double> samples = {1, 2, 3, 4, 5, 6, 7, 8, 9, 20};
  EXPECT_THAT(FindOutliers(samples, 3.0)->indices, ElementsAre(9));
  EXPECT_THAT(FindOutliers(samples, 4.0)->indices, IsEmpty());
}

TEST(Outliers, RefuseBadInput) {
  EXPECT_FALSE(FindOutliers({}));
  EXPECT_FALSE(FindOutliers(std::vector<double>{1, std::numeric_limits<double>::quiet_NaN()}));
  EXPECT_FALSE(FindOutliers(std::vector<double>{1, 2}, 0));
}

}  // namespace
}  // namespace tare::stats
