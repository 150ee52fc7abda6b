// fit_search_test.cc: tests the search for the few columns that fit best.
#include "analysis/explain/fit_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stats/random.h"

namespace tare::explain {
namespace {

constexpr double kSameNoise = std::numeric_limits<double>::infinity();

// Columns of random numbers over six decades, and a target that is a combination of some of them.
Difference Random(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  stats::Generator generator(seed);
  Difference difference;
  for (std::size_t j = 0; j < columns; ++j) {
    Candidate candidate{{CauseKind::kOpcode, "op" + std::to_string(j)}, {}, {}};
    for (std::size_t i = 0; i < rows; ++i) {
      candidate.counts.push_back(std::floor(std::pow(10, 6 * generator.Unit())));
    }
    difference.candidates.push_back(std::move(candidate));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    difference.programs.push_back(std::to_string(i));
    difference.first_counts.push_back(1e7);
    difference.second_counts.push_back(1e7);
    difference.amounts.push_back(0);
  }
  return difference;
}

void Add(Difference& difference, std::size_t column, double extra) {
  for (std::size_t i = 0; i < difference.amounts.size(); ++i) {
    difference.amounts[i] += extra * difference.candidates[column].counts[i];
  }
}

TEST(LeastSquares, RecoversTheCoefficientsOfTheTarget) {
  Difference difference = Random(10, 5, 1);
  Add(difference, 1, 2);
  Add(difference, 4, -0.5);
  const Weighted weighted = Weigh(difference, 1e4);
  const Fit fit = LeastSquares(weighted, weighted.target, {1, 3, 4});
  EXPECT_NEAR(fit.coefficients[0] / weighted.lengths[1], 2, 1e-9);
  EXPECT_NEAR(fit.coefficients[1] / weighted.lengths[3], 0, 1e-9);
  EXPECT_NEAR(fit.coefficients[2] / weighted.lengths[4], -0.5, 1e-9);
  EXPECT_TRUE(fit.BothWays());
  EXPECT_NEAR(fit.squares, 0, 1e-9);
}

TEST(LeastSquares, GivesNothingToACopyOfAColumn) {
  Difference difference = Random(10, 3, 1);
  difference.candidates[2] = difference.candidates[0];
  Add(difference, 0, 3);
  const Weighted weighted = Weigh(difference, kSameNoise);
  const Fit fit = LeastSquares(weighted, weighted.target, {0, 2});
  EXPECT_NEAR(fit.coefficients[0] / weighted.lengths[0], 3, 1e-9);
  EXPECT_EQ(fit.coefficients[1], 0);
}

// The square of 1e-200 is 0 in a double.
TEST(Weigh, GivesTinyCountsTheLengthOne) {
  Difference difference = Random(10, 3, 1);
  for (double& count : difference.candidates[1].counts) count = 1e-200;
  Add(difference, 2, 3);
  const Weighted weighted = Weigh(difference, kSameNoise);
  for (const double value : weighted.Column(1)) EXPECT_NEAR(value, std::sqrt(0.1), 1e-9);
  const auto fits = BestFits(weighted, weighted.target, 1, 4);
  EXPECT_EQ(fits[1].columns, (std::vector<std::size_t>{2}));
}

TEST(BestFits, FindsAPairAmongHundredsWithFewRows) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Difference difference = Random(10, 300, seed);
    Add(difference, 17, 1);
    Add(difference, 230, 1);
    const Weighted weighted = Weigh(difference, kSameNoise);
    const auto fits = BestFits(weighted, weighted.target, 3, 16);
    ASSERT_EQ(fits.size(), 4u);
    EXPECT_EQ(fits[2].columns, (std::vector<std::size_t>{17, 230})) << seed;
  }
}

TEST(Implausibility, IsSmallestForTheRightSize) {
  Difference difference = Random(12, 100, 3);
  Add(difference, 5, 1);
  Add(difference, 50, 2);
  const Weighted weighted = Weigh(difference, kSameNoise);
  const auto fits = BestFits(weighted, weighted.target, 4, 16);
  for (const std::size_t size : {0u, 1u, 3u, 4u}) {
    EXPECT_GT(Implausibility(weighted, fits[size]), Implausibility(weighted, fits[2])) << size;
  }
}

TEST(Knees, ReachFromTheSameNoiseToNoiseInProportion) {
  Difference difference = Random(2, 1, 1);
  difference.first_counts = difference.second_counts = {1e4, 1e8};
  const auto knees = Knees(difference);
  EXPECT_EQ(knees.front(), kSameNoise);
  EXPECT_EQ(Weigh(difference, kSameNoise).spread, (std::vector<double>{1, 1}));
  const auto spread = Weigh(difference, knees.back()).spread;
  EXPECT_NEAR(spread[1] / spread[0], 1e4, 100);
}

}  // namespace
}  // namespace tare::explain
