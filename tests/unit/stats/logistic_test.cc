// logistic_test.cc: tests penalized logistic regression where its solution is known.
#include "stats/logistic.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace tare::stats {
namespace {

double LogOddsOf(double yes, double no) { return std::log(yes / no); }

LogisticFit Fit(const std::vector<std::vector<double>>& columns,
                const std::vector<double>& outcomes) {
  const std::vector<std::span<const double>> views(columns.begin(), columns.end());
  const auto fit = FitLogistic(views, outcomes);
  EXPECT_TRUE(fit) << fit.error().message;
  return fit.value_or(LogisticFit{std::vector<double>(columns.size(), NAN)});
}

// With a constant alone, Jeffreys' prior adds half a success and half a failure (Firth 1993).
TEST(Logistic, OfAConstantAddsHalfOfEachOutcome) {
  const auto fit = Fit({{1, 1, 1, 1, 1, 1, 1, 1}}, {1, 1, 1, 0, 0, 0, 0, 0});
  EXPECT_NEAR(fit.coefficients[0], LogOddsOf(3.5, 5.5), 1e-8);
}

TEST(Logistic, OfOutcomesThatAreAllTheSameIsFinite) {
  const auto fit = Fit({{1, 1, 1, 1}}, {1, 1, 1, 1});
  EXPECT_NEAR(fit.Probability(std::array{1.0}), 4.5 / 5, 1e-8);
}

// A saturated model of two groups adds a half to each cell of its table of four (Heinze and
// Schemper 2002): here 3 of 5 and 4 of 4.
TEST(Logistic, OfTwoGroupsAddsHalfToEachCell) {
  const auto fit =
      Fit({{1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 1, 1, 1, 1}}, {1, 1, 1, 0, 0, 1, 1, 1, 1});
  EXPECT_NEAR(fit.coefficients[0], LogOddsOf(3.5, 2.5), 1e-8);
  EXPECT_NEAR(fit.LogOdds(std::array{1.0, 1.0}), LogOddsOf(4.5, 0.5), 1e-8);
}

TEST(Logistic, SeparatedOutcomesHaveASteepButFiniteSlope) {
  const auto fit = Fit({{1, 1, 1, 1, 1, 1}, {-3, -2, -1, 1, 2, 3}}, {0, 0, 0, 1, 1, 1});
  EXPECT_NEAR(fit.coefficients[0], 0, 1e-8);
  EXPECT_GT(fit.coefficients[1], 0.5);
  EXPECT_LT(fit.coefficients[1], 10);
  EXPECT_GT(fit.Probability(std::array{1.0, 3.0}), 0.9);
}

TEST(Logistic, AColumnThatDependsOnAnotherIsLeftOut) {
  const auto fit = Fit({{1, 1, 1, 1}, {2, 2, 2, 2}}, {1, 0, 0, 0});
  EXPECT_EQ(fit.coefficients[1], 0);
  EXPECT_NEAR(fit.coefficients[0], LogOddsOf(1.5, 3.5), 1e-8);
}

TEST(Logistic, NeedsOutcomes) {
  EXPECT_FALSE(FitLogistic({}, {}));
  const std::vector<double> column = {NAN, 1};
  const std::array<std::span<const double>, 1> columns = {column};
  EXPECT_FALSE(FitLogistic(columns, std::array{0.0, 1.0}));
}

}  // namespace
}  // namespace tare::stats
