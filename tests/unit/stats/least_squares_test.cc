// least_squares_test.cc: tests least squares against known solutions, and at the limits of doubles.
#include "stats/least_squares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stats/random.h"
#include "tests/unit/stats/special_numbers.h"

namespace tare::stats {
namespace {

using testing::HasSubstr;

class Matrix {
 public:
  explicit Matrix(std::vector<std::vector<double>> columns) : values_(std::move(columns)) {
    spans_.assign(values_.begin(), values_.end());
  }
  Columns Spans() const { return spans_; }
  std::span<const double> operator[](std::size_t column) const { return spans_[column]; }

 private:
  std::vector<std::vector<double>> values_;
  std::vector<std::span<const double>> spans_;
};

Result<LinearFit> Fit(const Matrix& columns, std::span<const double> target,
                      std::span<const double> weights = {}) {
  return LeastSquares(columns.Spans(), target, weights);
}

Result<LinearFit> FitNonNegative(const Matrix& columns, std::span<const double> target,
                                 std::span<const double> weights = {}) {
  return NonNegativeLeastSquares(columns.Spans(), target, weights);
}

double Product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<double> RandomColumn(std::size_t rows, Generator& generator) {
  std::vector<double> column;
  for (std::size_t i = 0; i < rows; ++i) column.push_back(generator.Unit() - 0.3);
  return column;
}

// y = 1, 3, 2, 5 at x = 0, 1, 2, 3. By hand: the means are 1.5 and 2.75, Sxx = 5 and Sxy = 5.5, so
// the slope is 1.1 and the constant 1.1. The residuals are -0.1, 0.8, -1.3, 0.6 with squares 2.7,
// so the variance is 1.35. The standard error of the slope is sqrt(1.35 / 5), and that of the
// constant sqrt(1.35 * (1 / 4 + 1.5^2 / 5)).
TEST(LeastSquares, FitsALineWithItsStandardErrors) {
  const Matrix line({{1, 1, 1, 1}, {0, 1, 2, 3}});
  const auto fit = Fit(line, std::vector<double>{1, 3, 2, 5});
  ASSERT_TRUE(fit) << fit.error().message;
  EXPECT_NEAR(fit->coefficients[0], 1.1, 1e-14);
  EXPECT_NEAR(fit->coefficients[1], 1.1, 1e-14);
  EXPECT_NEAR(fit->standard_errors[0].value_or(0), std::sqrt(1.35 * 0.7), 1e-14);
  EXPECT_NEAR(fit->standard_errors[1].value_or(0), std::sqrt(1.35 / 5), 1e-14);
  EXPECT_NEAR(fit->residual_norm, std::sqrt(2.7), 1e-14);
  EXPECT_NEAR(fit->residuals[2], -1.3, 1e-14);
  EXPECT_EQ(fit->rank, 2u);
  // The length of x without its mean is sqrt(5).
  EXPECT_NEAR(fit->own_lengths[0], 2, 1e-14);
  EXPECT_NEAR(fit->own_lengths[1], std::sqrt(5), 1e-14);
}

// The Longley data (1967) are a classic test of regression programs. NIST's Statistical Reference
// Datasets certify these coefficients and standard errors.
TEST(LeastSquares, AgreesWithTheCertifiedValuesOfLongley) {
  const Matrix columns({std::vector<double>(16, 1.0),
                        {83.0, 88.5, 88.2, 89.5, 96.2, 98.1, 99.0, 100.0, 101.2, 104.6, 108.4,
                         110.8, 112.6, 114.2, 115.7, 116.9},
                        {234289, 259426, 258054, 284599, 328975, 346999, 365385, 363112, 397469,
                         419180, 442769, 444546, 482704, 502601, 518173, 554894},
                        {2356, 2325, 3682, 3351, 2099, 1932, 1870, 3578, 2904, 2822, 2936, 4681,
                         3813, 3931, 4806, 4007},
                        {1590, 1456, 1616, 1650, 3099, 3594, 3547, 3350, 3048, 2857, 2798, 2637,
                         2552, 2514, 2572, 2827},
                        {107608, 108632, 109773, 110929, 112075, 113270, 115094, 116219, 117388,
                         118734, 120445, 121950, 123366, 125368, 127852, 130081},
                        {1947, 1948, 1949, 1950, 1951, 1952, 1953, 1954, 1955, 1956, 1957, 1958,
                         1959, 1960, 1961, 1962}});
  const std::vector<double> employed = {60323, 61122, 60171, 61187, 63221, 63639, 64989, 63761,
                                        66019, 67857, 68169, 66513, 68655, 69564, 69331, 70551};
  const double certified[] = {-3482258.63459582, 15.0618722713733,  -0.358191792925910E-01,
                              -2.02022980381683, -1.03322686717359, -0.511041056535807E-01,
                              1829.15146461355};
  const double errors[] = {890420.383607373,  84.9149257747669,  0.334910077722432E-01,
                           0.488399681651699, 0.214274163161675, 0.226073200069370,
                           455.478499142212};
  const auto fit = Fit(columns, employed);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->rank, 7u);
  for (std::size_t j = 0; j < 7; ++j) {
    EXPECT_NEAR(fit->coefficients[j] / certified[j], 1, 1e-8) << j;
    EXPECT_NEAR(fit->standard_errors[j].value_or(0) / errors[j], 1, 1e-8) << j;
  }
  EXPECT_NEAR(fit->residual_norm, 304.854073561965 * 3, 1e-6);
  EXPECT_GT(fit->condition, 1e3);
}

TEST(LeastSquares, WeighsSquares) {
  const Matrix constant({{1, 1}});
  const auto fit = Fit(constant, std::vector<double>{1, 5}, std::vector<double>{3, 1});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->coefficients[0], 2, 1e-15);
  EXPECT_NEAR(fit->residual_norm, std::sqrt(3 * 1 + 9), 1e-14);
  EXPECT_NEAR(fit->residuals[1], 3, 1e-15);
}

TEST(LeastSquares, ARowWithoutWeightIsNoObservation) {
  const Matrix line({{1, 1, 1}, {0, 1, 2}});
  const auto fit = Fit(line, std::vector<double>{1, 2, 100}, std::vector<double>{1, 1, 0});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->coefficients[1], 1, 1e-14);
  EXPECT_NEAR(fit->residuals[2], 97, 1e-12);
  // Two points determine a line, so nothing is left to estimate an error from.
  EXPECT_FALSE(fit->standard_errors[0]);
  EXPECT_FALSE(fit->standard_errors[1]);
}

TEST(LeastSquares, LeavesOutColumnsThatDependOnEarlierOnes) {
  // The third is the sum of the first two, the fourth is zero; the fifth is independent again.
  const Matrix columns({{1, 0, 0, 1}, {0, 1, 0, 1}, {1, 1, 0, 2}, {0, 0, 0, 0}, {0, 0, 1, 5}});
  const auto fit = Fit(columns, std::vector<double>{2, 3, 4, 25});
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->rank, 3u);
  EXPECT_NEAR(fit->coefficients[0], 2, 1e-13);
  EXPECT_NEAR(fit->coefficients[1], 3, 1e-13);
  EXPECT_EQ(fit->coefficients[2], 0);
  EXPECT_EQ(fit->coefficients[3], 0);
  EXPECT_NEAR(fit->coefficients[4], 4, 1e-13);
  EXPECT_EQ(fit->own_lengths[2], 0);
  EXPECT_FALSE(fit->standard_errors[2]);
  EXPECT_TRUE(fit->standard_errors[4]);
}

TEST(LeastSquares, WithMoreColumnsThanRowsTakesTheFirst) {
  const Matrix columns({{1, 0}, {0, 2}, {3, 4}});
  const auto fit = Fit(columns, std::vector<double>{5, 6});
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->rank, 2u);
  EXPECT_NEAR(fit->coefficients[0], 5, 1e-14);
  EXPECT_NEAR(fit->coefficients[1], 3, 1e-14);
  EXPECT_EQ(fit->coefficients[2], 0);
}

TEST(LeastSquares, WithoutColumnsOrRowsExplainsNothing) {
  const std::vector<double> target = {3, 4};
  const auto fit = LeastSquares({}, target);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->rank, 0u);
  EXPECT_EQ(fit->residuals, target);
  EXPECT_NEAR(fit->residual_norm, 5, 1e-15);
  const auto empty = Fit(Matrix({{}, {}}), {});
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->coefficients, (std::vector<double>{0, 0}));
  EXPECT_TRUE(NonNegativeLeastSquares({}, {}));
}

TEST(LeastSquares, TheScaleOfColumnsAndTargetDoesNotMatter) {
  Generator generator(5);
  for (const double column_scale : {1e-150, 1e-12, 1.0, 1e12, 1e150}) {
    for (const double target_scale : {1e-150, 1e-12, 1.0, 1e12, 1e150}) {
      std::vector<std::vector<double>> values = {
          RandomColumn(20, generator), RandomColumn(20, generator), RandomColumn(20, generator)};
      std::vector<double> target(20);
      for (std::size_t i = 0; i < 20; ++i) {
        target[i] = target_scale * (2 * values[0][i] + values[1][i] + 0.5 * values[2][i]);
        values[1][i] *= column_scale;
        values[2][i] /= column_scale;
      }
      const Matrix columns(values);
      for (const auto& fit : {Fit(columns, target), FitNonNegative(columns, target)}) {
        ASSERT_TRUE(fit) << fit.error().message;
        EXPECT_NEAR(fit->coefficients[0] / target_scale, 2, 1e-12);
        EXPECT_NEAR(fit->coefficients[1] / target_scale * column_scale, 1, 1e-12);
        EXPECT_NEAR(fit->coefficients[2] / target_scale / column_scale, 0.5, 1e-12);
        EXPECT_LT(fit->condition, 100);
        EXPECT_LT(fit->residual_norm, 1e-13 * target_scale);
      }
    }
  }
}

// The normal equations lose twice as many digits: their second pivot is about 1e-16.
TEST(LeastSquares, ResolvesColumnsThatDifferByOnePartIn100Million) {
  const Matrix columns({{1, 1, 1}, {1, 1 + 1e-8, 1 - 1e-8}});
  const auto fit = Fit(columns, std::vector<double>{5, 5 + 3e-8, 5 - 3e-8});
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->rank, 2u);
  EXPECT_NEAR(fit->coefficients[0], 2, 1e-6);
  EXPECT_NEAR(fit->coefficients[1], 3, 1e-6);
  EXPECT_GT(fit->condition, 1e7);
}

TEST(LeastSquares, RefusesWhatIsNotFinite) {
  for (const double bad : {kInfinity, -kInfinity, std::nan("")}) {
    const Matrix good({{1, 2}});
    for (const auto solve : {&Fit, &FitNonNegative}) {
      EXPECT_FALSE(solve(Matrix({{1, bad}}), std::vector<double>{1, 2}, {}));
      EXPECT_FALSE(solve(good, std::vector<double>{1, bad}, {}));
      EXPECT_FALSE(solve(good, std::vector<double>{1, 2}, std::vector<double>{1, bad}));
    }
  }
}

TEST(LeastSquares, RefusesNegativeWeightsAndOverflow) {
  const auto negative =
      Fit(Matrix({{1, 2}}), std::vector<double>{1, 2}, std::vector<double>{1, -1});
  ASSERT_FALSE(negative);
  EXPECT_THAT(negative.error().message, HasSubstr("the weight of row 2 is negative"));
  const auto overflow =
      Fit(Matrix(std::vector<std::vector<double>>{{1e-200}}), std::vector<double>{1e200});
  ASSERT_FALSE(overflow);
  EXPECT_THAT(overflow.error().message, HasSubstr("column 1 overflows"));
}

TEST(NonNegativeLeastSquares, FindsAMixtureThatIsThere) {
  std::vector<std::vector<double>> values(3);
  std::vector<double> target;
  for (const double x : {0.0, 0.1, 0.4, 0.7, 1.0}) {
    values[0].push_back(1 - x);
    values[1].push_back(x);
    values[2].push_back(x * x);
    target.push_back(2 * (1 - x) + 5 * x + 0.5 * x * x);
  }
  const auto fit = FitNonNegative(Matrix(values), target);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->coefficients[0], 2, 1e-12);
  EXPECT_NEAR(fit->coefficients[1], 5, 1e-12);
  EXPECT_NEAR(fit->coefficients[2], 0.5, 1e-12);
}

// Through falling points the slope would be negative, so the best constant is their mean.
TEST(NonNegativeLeastSquares, StopsAtZero) {
  const auto fit = FitNonNegative(Matrix({{1, 1, 1}, {0, 1, 2}}), std::vector<double>{3, 2, 1});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->coefficients[0], 2, 1e-15);
  EXPECT_EQ(fit->coefficients[1], 0);
  EXPECT_EQ(fit->rank, 1u);
  EXPECT_FALSE(fit->standard_errors[1]);
  // The standard error of a mean: sqrt(2 / 2 / 3).
  EXPECT_NEAR(fit->standard_errors[0].value_or(0), std::sqrt(1.0 / 3), 1e-15);
}

TEST(NonNegativeLeastSquares, GivesNothingToATargetOnTheOtherSide) {
  const auto fit = FitNonNegative(Matrix({{1, 2}, {3, 1}}), std::vector<double>{-1, -1});
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->coefficients, (std::vector<double>{0, 0}));
  EXPECT_EQ(fit->rank, 0u);
}

TEST(NonNegativeLeastSquares, GivesNothingToColumnsThatSayNothing) {
  const auto fit =
      FitNonNegative(Matrix({{1, 2}, {0, 0}, {1, 2}, {3, 6}}), std::vector<double>{4, 8});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->coefficients[0], 4, 1e-14);
  EXPECT_EQ(fit->coefficients[1], 0);
  EXPECT_EQ(fit->coefficients[2], 0);
  EXPECT_EQ(fit->coefficients[3], 0);
}

// The conditions of Karush, Kuhn and Tucker hold at the minimum only: the slope of the squares is 0
// for coefficients above 0, and does not fall for those at 0.
TEST(NonNegativeLeastSquares, MeetsTheConditionsOfTheMinimum) {
  Generator generator(11);
  std::size_t zeros = 0;
  std::size_t count = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t rows = 1 + generator.Below(30);
    const std::size_t size = 1 + generator.Below(12);
    std::vector<std::vector<double>> values;
    for (std::size_t j = 0; j < size; ++j) values.push_back(RandomColumn(rows, generator));
    if (size > 3) values[3] = values[1];
    const Matrix columns(values);
    const auto target = RandomColumn(rows, generator);
    std::vector<double> weights;
    for (std::size_t i = 0; i < rows; ++i) weights.push_back(0.1 + generator.Unit());
    const auto fit = FitNonNegative(columns, target, weights);
    ASSERT_TRUE(fit);
    std::vector<double> weighted;
    for (std::size_t i = 0; i < rows; ++i) weighted.push_back(weights[i] * fit->residuals[i]);
    for (std::size_t j = 0; j < size; ++j) {
      const double slope = Product(columns[j], weighted);
      EXPECT_GE(fit->coefficients[j], 0);
      EXPECT_LT(slope, 1e-11) << round << " " << j;
      if (fit->coefficients[j] > 0) {
        EXPECT_GT(slope, -1e-11) << round << " " << j;
      }
      zeros += fit->coefficients[j] == 0 ? 1u : 0u;
      ++count;
    }
  }
  EXPECT_GT(zeros, count / 10);
  EXPECT_LT(zeros, count * 9 / 10);
}

TEST(ColumnSpace, TakesOutWhatItsColumnsExplain) {
  Generator generator(3);
  auto first = RandomColumn(9, generator);
  auto second = RandomColumn(9, generator);
  const auto other = RandomColumn(9, generator);
  std::vector<double> sum;
  for (std::size_t i = 0; i < 9; ++i) sum.push_back(1e6 * first[i] - second[i]);
  const Matrix columns({first, second, sum, std::vector<double>(9, kInfinity)});
  const ColumnSpace space(columns.Spans(), 9);
  std::vector<double> rest(9);
  space.TakeOut(other, rest);
  EXPECT_NEAR(Product(rest, first), 0, 1e-14);
  EXPECT_NEAR(Product(rest, second), 0, 1e-14);
  EXPECT_NEAR(Product(rest, other), Product(rest, rest), 1e-14);
  space.TakeOut(sum, rest);
  for (const double value : rest) EXPECT_NEAR(value, 0, 1e-8);
  // The leverages add up to the rank.
  double leverages = 0;
  for (std::size_t i = 0; i < 9; ++i) leverages += space.Leverage(i);
  EXPECT_NEAR(leverages, 2, 1e-13);
}

TEST(ColumnSpace, OfNothingTakesOutNothing) {
  const ColumnSpace space({}, 2);
  std::vector<double> rest(2);
  space.TakeOut(std::vector<double>{3, 4}, rest);
  EXPECT_EQ(rest, (std::vector<double>{3, 4}));
  EXPECT_EQ(space.Leverage(0), 0);
}

}  // namespace
}  // namespace tare::stats
