// sparkline_test.cc: tests one-line plots.
#include "report/sparkline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tare::report {
namespace {

TEST(Sparkline, RisesWithItsNumbers) {
  EXPECT_EQ(Sparkline(std::vector<double>{0, 1, 2, 3, 4, 5, 6, 8}, 8), "▁▂▃▄▅▆▇█");
}

TEST(Sparkline, IsFlatWhereNothingHappens) {
  EXPECT_EQ(Sparkline(std::vector<double>{0, 0, 0}, 8), "▁▁▁");
  EXPECT_EQ(Sparkline(std::vector<double>{5, 5}, 8), "██");
}

TEST(Sparkline, ShowsMeansWhereThereAreMoreNumbersThanCharacters) {
  EXPECT_EQ(Sparkline(std::vector<double>{0, 2, 8, 8}, 2), "▂█");
}

TEST(Sparkline, LeavesNonNumbersBlank) {
  EXPECT_EQ(Sparkline(std::vector<double>{1, std::nan(""), 1}, 3), "█ █");
  EXPECT_EQ(Sparkline(std::vector<double>{}, 3), "");
}

TEST(Sparkline, BeginsBelowZeroWhereNumbersDo) {
  EXPECT_EQ(Sparkline(std::vector<double>{-1, 0, 1}, 3), "▁▅█");
}

}  // namespace
}  // namespace tare::report
