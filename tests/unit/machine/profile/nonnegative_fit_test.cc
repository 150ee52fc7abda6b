// nonnegative_fit_test.cc: tests non-negative least squares.
#include "machine/profile/nonnegative_fit.h"

#include <gtest/gtest.h>

namespace tare::machine_profile {
namespace {

TEST(NonNegativeFit, FindsAMixtureThatIsThere) {
  std::vector<FitRow> rows;
  for (const double x : {0.0, 0.1, 0.4, 0.7, 1.0}) {
    rows.push_back({{1 - x, x, x * x}, 2 * (1 - x) + 5 * x + 0.5 * x * x});
  }
  const auto found = NonNegativeFit(rows);
  EXPECT_NEAR(found[0], 2, 1e-9);
  EXPECT_NEAR(found[1], 5, 1e-9);
  EXPECT_NEAR(found[2], 0.5, 1e-9);
}

// Without the constraint the line through (0, 0), (1, 1) and (2, 0.5) is 1/4 + x/4. Through falling
// points the slope would be negative, so the best constant is their mean.
TEST(NonNegativeFit, StopsAtZero) {
  const std::vector<FitRow> rows = {{{1, 0}, 3}, {{1, 1}, 2}, {{1, 2}, 1}};
  const auto found = NonNegativeFit(rows);
  EXPECT_NEAR(found[0], 2, 1e-12);
  EXPECT_EQ(found[1], 0);
}

TEST(NonNegativeFit, WeighsRows) {
  const std::vector<FitRow> rows = {{{1}, 1, 3}, {{1}, 5, 1}};
  EXPECT_NEAR(NonNegativeFit(rows)[0], 2, 1e-12);
}

TEST(NonNegativeFit, GivesNothingToColumnsWithoutInformation) {
  const std::vector<FitRow> rows = {{{1, 0, 1}, 4}, {{2, 0, 2}, 8}};
  const auto found = NonNegativeFit(rows);
  EXPECT_NEAR(found[0] + found[2], 4, 1e-9);
  EXPECT_EQ(found[1], 0);
  EXPECT_TRUE(NonNegativeFit({}).empty());
}

}  // namespace
}  // namespace tare::machine_profile
