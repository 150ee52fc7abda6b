// permutation_test.cc: tests permutation tests against exact probabilities and by simulation.
#include "stats/permutation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stats/distribution.h"
#include "stats/random.h"

namespace tare::stats {
namespace {

using Groups = std::vector<std::vector<double>>;

TEST(CompareGroups, ConstantSamplesDoNotDiffer) {
  EXPECT_EQ(CompareGroups(Groups{{7, 7, 7}, {7, 7}})->p, 1);
}

// Two groups of 4 constant values: of the C(8,4) = 70 labellings, the 2 that separate them are as
// extreme.
TEST(CompareGroups, PartedGroupsHaveTheChanceOfTheirArrangement) {
  const auto test =
      CompareGroups(Groups{{1, 1, 1, 1}, {2, 2, 2, 2}}, {.seed = 3, .shuffles = 49999});
  EXPECT_NEAR(test->p, 2.0 / 70, 0.003);
}

// Four levels measured twice each, every level with its own value: of the 105 ways to pair eight
// samples, one is right.
TEST(CompareGroups, LevelsThatRepeatThemselvesAreRare) {
  const auto test =
      CompareGroups(Groups{{1, 1}, {2, 2}, {3, 3}, {4, 4}}, {.seed = 4, .shuffles = 49999});
  EXPECT_LT(test->p, 0.03);
}

TEST(CompareGroups, SpreadAloneIsSeen) {
  Groups groups(2);
  Generator generator(5);
  for (int i = 0; i < 30; ++i) {
    groups[0].push_back(generator.Unit() - 0.5);
    groups[1].push_back(20 * (generator.Unit() - 0.5));
  }
  EXPECT_LT(CompareGroups(groups)->p, 0.001);
}

TEST(CompareGroups, LevelHoldsForSkewedNoiseAndManyGroups) {
  Generator generator(6);
  int rejected = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    Groups groups(4);
    for (auto& group : groups) {
      for (int i = 0; i < 4; ++i) group.push_back(-std::log(1 - generator.Unit()));
    }
    const auto test =
        CompareGroups(groups, {.seed = static_cast<std::uint64_t>(trial) + 1, .shuffles = 199});
    if (test->p <= 0.05) ++rejected;
  }
  // 5 % of 2000, with a probability of 0.1 % beyond either limit.
  EXPECT_GT(BinomialCdf(rejected, kTrials, 0.05), 0.001);
  EXPECT_GT(BinomialAtLeast(rejected, kTrials, 0.05), 0.001);
}

TEST(CompareGroups, TheSameSeedGivesTheSameAnswer) {
  const Groups groups = {{1, 2, 3, 9}, {4, 5, 6}, {7, 8}};
  EXPECT_EQ(CompareGroups(groups, {.seed = 11})->p, CompareGroups(groups, {.seed = 11})->p);
}

TEST(CompareGroups, TooLittleIsRefused) {
  EXPECT_FALSE(CompareGroups(Groups{{1, 2, 3}}));
  EXPECT_FALSE(CompareGroups(Groups{{1}, {2}}));
  EXPECT_FALSE(CompareGroups(Groups{{1, 2}, {}}));
  EXPECT_FALSE(CompareGroups(Groups{{1, 2}, {std::numeric_limits<double>::quiet_NaN()}}));
}

}  // namespace
}  // namespace tare::stats
