// multinomial_test.cc: simultaneous intervals of shares, ranks and the test of equal shares.
#include "stats/multinomial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "stats/distribution.h"
#include "stats/interval.h"
#include "stats/random.h"

namespace tare::stats {
namespace {

using Counts = std::vector<std::uint64_t>;

Counts Draw(std::span<const double> shares, int samples, Generator& generator) {
  Counts counts(shares.size());
  for (int i = 0; i < samples; ++i) {
    double left = generator.Unit();
    std::size_t part = 0;
    while (part + 1 < shares.size() && left >= shares[part]) left -= shares[part++];
    ++counts[part];
  }
  return counts;
}

TEST(RankRanges, SeparateClearlyDifferentParts) {
  // 400 and 100 differ by far; 100 and 95 do not.
  const auto ranks = RankRanges(Counts{400, 100, 95}, 0.95);
  ASSERT_TRUE(ranks);
  EXPECT_EQ((*ranks)[0], (RankRange{1, 1}));
  EXPECT_EQ((*ranks)[1], (RankRange{2, 3}));
  EXPECT_EQ((*ranks)[2], (RankRange{2, 3}));
}

TEST(RankRanges, RarelyExcludeTheTruth) {
  Generator generator(3);
  constexpr std::array kShares = {0.25, 0.25, 0.25, 0.25};
  int wrong = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    Counts counts = Draw(kShares, 400, generator);
    std::ranges::sort(counts, std::greater());
    const auto ranks = RankRanges(counts, 0.95);
    ASSERT_TRUE(ranks);
    // All parts are equal, so that every one can have any rank.
    for (const RankRange& range : *ranks) {
      if (range == RankRange{1, 4}) continue;
      ++wrong;
      break;
    }
  }
  EXPECT_LE(wrong, 0.06 * kTrials);
}

TEST(LargestShareByChance, IsTheSignTestOfTheTwoLargest) {
  EXPECT_DOUBLE_EQ(LargestShareByChance(5, 0), 2.0 / 32);
  EXPECT_DOUBLE_EQ(LargestShareByChance(4, 1), 2.0 * 6 / 32);
  EXPECT_EQ(LargestShareByChance(3, 3), 1);
  EXPECT_EQ(LargestShareByChance(0, 0), 1);
}

// However many parts have the largest share, a wrong one is called the largest in at most 5 %.
TEST(LargestShareByChance, RarelyNamesTheWrongPart) {
  Generator generator(7);
  const auto named = [&](std::span<const double> shares) {
    int count = 0;
    for (int trial = 0; trial < 4000; ++trial) {
      Counts counts = Draw(shares, 300, generator);
      std::ranges::sort(counts, std::greater());
      count += LargestShareByChance(counts[0], counts[1]) <= 0.05 ? 1 : 0;
    }
    return count / 4000.0;
  };
  EXPECT_LE(named(std::array{0.5, 0.5}), 0.06);
  EXPECT_LE(named(std::array{0.3, 0.3, 0.2, 0.2}), 0.06);
  EXPECT_LE(named(std::array{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}), 0.06);
  EXPECT_GE(named(std::array{0.5, 0.3, 0.2}), 0.9);
}

TEST(Homogeneity, OfATableFromTheTextbook) {
  // Agresti, Categorical Data Analysis, 2nd edition, table 3.1-like 2x2: chi-square by hand.
  // Expected 20 and 30 of 50 in each sample: (5^2/20 + 5^2/30) * 2 = 4.1667.
  const auto test = Homogeneity(Counts{25, 25}, Counts{15, 35});
  ASSERT_TRUE(test);
  EXPECT_NEAR(test->chi_square, 25.0 / 20 * 2 + 25.0 / 30 * 2, 1e-12);
  EXPECT_EQ(test->degrees, 1);
  EXPECT_NEAR(test->p, NormalTwoSided(std::sqrt(test->chi_square)), 1e-12);
}

TEST(Homogeneity, HasItsLevel) {
  Generator generator(11);
  constexpr std::array kShares = {0.5, 0.3, 0.15, 0.04, 0.01};
  int alarms = 0;
  constexpr int kTrials = 4000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto test = Homogeneity(Draw(kShares, 618, generator), Draw(kShares, 382, generator));
    ASSERT_TRUE(test);
    alarms += test->p < 0.05 ? 1 : 0;
  }
  EXPECT_NEAR(alarms, 0.05 * kTrials, 0.015 * kTrials);
}

TEST(Homogeneity, SaysNothingOfTooFewSamples) {
  const auto test = Homogeneity(Counts{1, 2}, Counts{2, 1});
  ASSERT_TRUE(test);
  EXPECT_EQ(test->degrees, 0);
  EXPECT_EQ(test->p, 1);
}

}  // namespace
}  // namespace tare::stats
