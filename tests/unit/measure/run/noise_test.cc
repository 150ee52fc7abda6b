// noise_test.cc: tests the noise estimate from comparing a program with itself.
#include "measure/run/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/random.h"

namespace tare::run {
namespace {

std::vector<double> Alternating(double a, double b, std::size_t pairs) {
  std::vector<double> times;
  for (std::size_t i = 0; i < pairs; ++i) {
    times.push_back(a);
    times.push_back(b);
  }
  return times;
}

TEST(NoiseOf, ComparesEverySecondRunWithTheOthers) {
  std::vector<double> times = Alternating(1.1, 1.0, 10);
  times[0] = 1.1001;
  times[1] = 0.9999;
  const auto noise = NoiseOf(times, 0.95);
  ASSERT_TRUE(noise) << noise.error().message;
  EXPECT_NEAR(noise->against_itself.Value(), 1.1, 1e-4);
  EXPECT_NEAR(noise->floor, 0.1, 1e-3);
}

// D = (t(0.975) + t(0.8)) c sqrt(2/n) with 2n - 2 = 18 degrees of freedom: t = 2.1009 and 0.8620
// (table of Student's t), c = 0.105409 for alternating 0.9 and 1.1, n = 10: 0.13967.
TEST(NoiseOf, SmallestDifferenceFollowsTheFormula) {
  const auto noise = NoiseOf(Alternating(0.9, 1.1, 5), 0.95);
  ASSERT_TRUE(noise) << noise.error().message;
  EXPECT_NEAR(noise->coefficient_of_variation, 0.105409, 1e-6);
  EXPECT_NEAR(noise->smallest_difference, (2.1009 + 0.8620) * 0.105409 * std::sqrt(0.2), 1e-4);
}

TEST(NoiseOf, TooFewRunsGiveNoAnswer) {
  const std::vector<double> times = {1, 1.1, 0.9};
  EXPECT_FALSE(NoiseOf(times, 0.95));
}

}  // namespace
}  // namespace tare::run
