// count_mean_test.cc: tests of mean.h.
#include "analysis/machines/count_mean.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tare::machines {
namespace {

TEST(MeanOfCounts, LosesNoDigitOfTheLargest) {
  // Doubles near 2^63 are 1024 apart.
  const std::int64_t max = INT64_MAX;
  const std::vector<WeighedCount> counts = {{{max, 0}}, {{max - 1, 0}}, {{max - 5, 0}}};
  const CountValue mean = MeanOf(counts);
  EXPECT_EQ(mean.whole, max - 2);
  EXPECT_EQ(mean.rest, 0);
  EXPECT_EQ(Difference({max, 0}, mean), 2);
  EXPECT_EQ(Difference({max - 5, 0}, mean), -3);
}

TEST(MeanOfCounts, KeepsWhatIsBelowOne) {
  const std::vector<WeighedCount> counts = {{{INT64_MAX, 0}}, {{INT64_MAX - 1, 0}}};
  const CountValue mean = MeanOf(counts);
  EXPECT_EQ(mean.whole, INT64_MAX - 1);
  EXPECT_EQ(mean.rest, 0.5);
}

TEST(MeanOfCounts, CarriesRestsOverToTheWhole) {
  const std::vector<WeighedCount> counts = {{{1, 0.75}}, {{2, 0.75}}};
  const CountValue mean = MeanOf(counts);
  EXPECT_EQ(mean.whole, 2);
  EXPECT_EQ(mean.rest, 0.25);
}

TEST(MeanOfCounts, GivesMoreRunsMoreWeight) {
  const std::vector<WeighedCount> counts = {{{100, 0}, 3}, {{200, 0}, 1}};
  EXPECT_EQ(AsDouble(MeanOf(counts)), 125);
}

}  // namespace
}  // namespace tare::machines
