// line_size_test.cc: tests deriving the line size from synthetic costs of pairs.
#include "machine/survey/line_size.h"

#include <gtest/gtest.h>

namespace tare::survey {
namespace {

std::vector<PairCost> SyntheticCosts(std::uint64_t line, double near, double far) {
  std::vector<PairCost> costs;
  for (std::uint64_t distance = 8; distance <= 1024; distance *= 2) {
    const double cost = distance < line ? near : far;
    costs.push_back({distance, {cost, 1.01 * cost, cost, 5 * cost, 0.99 * cost}});
  }
  return costs;
}

TEST(LineSizeOf, IsTheFirstDistanceThatCostsTwoMisses) {
  EXPECT_EQ(LineSizeOf(SyntheticCosts(64, 5e-9, 7e-9)), 64u);
  EXPECT_EQ(LineSizeOf(SyntheticCosts(128, 5e-9, 7e-9)), 128u);
  EXPECT_EQ(LineSizeOf(SyntheticCosts(32, 5e-9, 7e-9)), 32u);
}

TEST(LineSizeOf, FlatCostsGiveNoSize) {
  EXPECT_FALSE(LineSizeOf(SyntheticCosts(64, 5e-9, 5.1e-9)).has_value());
}

TEST(LineSizeOf, StepAtTheLastDistanceGivesNoSize) {
  EXPECT_FALSE(LineSizeOf(SyntheticCosts(1024, 5e-9, 7e-9)).has_value());
}

}  // namespace
}  // namespace tare::survey
