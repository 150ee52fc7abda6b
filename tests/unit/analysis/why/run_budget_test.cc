// run_budget_test.cc: tests which runs a budget allows, with times that are given.
#include "analysis/why/run_budget.h"

#include <gtest/gtest.h>

namespace tare::why {
namespace {

TEST(RunBudget, TheSlowestSeenRunMustStillFit) {
  RunBudget budget(60);
  for (const double seconds : {1.0, 5.0, 1.0}) budget.Took(seconds);
  EXPECT_TRUE(budget.Allows(1, 54.9));
  EXPECT_FALSE(budget.Allows(1, 55));
}

TEST(RunBudget, OfSeveralRunsOneMayBeAsSlow) {
  RunBudget budget(60);
  for (const double seconds : {1.0, 4.0, 1.0}) budget.Took(seconds);
  // 4 + 9 times 2.
  EXPECT_TRUE(budget.Allows(10, 37.9));
  EXPECT_FALSE(budget.Allows(10, 38));
}

TEST(RunBudget, TheFirstRunIsExpectedToTakeWhatIsKnown) {
  EXPECT_TRUE(RunBudget(60).Allows(1, 59));
  EXPECT_FALSE(RunBudget(60).Allows(1, 60));
  EXPECT_FALSE(RunBudget(60, 2).Allows(1, 59));
}

TEST(RunBudget, ARunMayTakeWhatIsLeft) {
  EXPECT_EQ(RunBudget(60).Left(45), 15);
  EXPECT_EQ(RunBudget(60).Left(61), 0);
}

TEST(RunBudget, OneRunMayTakeAsLongAsTheSlowest) {
  RunBudget budget(60);
  budget.Took(1);
  budget.Took(3);
  EXPECT_DOUBLE_EQ(budget.Expected(0), 0);
  EXPECT_DOUBLE_EQ(budget.Expected(1), 3);
  EXPECT_DOUBLE_EQ(budget.Expected(5), 3 + 4 * 2);
}

}  // namespace
}  // namespace tare::why
