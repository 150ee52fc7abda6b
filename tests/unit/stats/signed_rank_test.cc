// signed_rank_test.cc: tests of signed_rank.h.
#include "stats/signed_rank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/unit/stats/simulation.h"

namespace tare::stats {
namespace {

TEST(SignedRankInterval, IsThatOfHollanderAndWolfe) {
  // Hollander and Wolfe, Nonparametric Statistical Methods, example 3.1: depression scale factors
  // of 9 patients; estimate -0.46, 96 % interval (-0.786, -0.010).
  const std::vector<double> changes = {-0.952, 0.147,  -1.022, -0.430, -0.620,
                                       -0.590, -0.490, 0.080,  -0.010};
  const Measured centre = *SignedRankInterval(changes, 0.96);
  EXPECT_NEAR(centre.Value(), -0.46, 1e-9);
  EXPECT_NEAR(centre.Low(), -0.786, 1e-9);
  EXPECT_NEAR(centre.High(), -0.010, 1e-9);
}

TEST(SignedRankInterval, NeedsAsManySamplesAsSignsCanDecide) {
  // 2^-5 > 0.025 >= 2^-6.
  EXPECT_EQ(SignedRankSamples(0.95), 6u);
  EXPECT_EQ(SignedRankSamples(0.99), 8u);
  EXPECT_FALSE(SignedRankInterval(std::vector<double>{1, 2, 3, 4, 5}, 0.95));
  const Measured all = *SignedRankInterval(std::vector<double>{1, 2, 3, 4, 5, 6}, 0.95);
  EXPECT_EQ(all.Low(), 1);
  EXPECT_EQ(all.High(), 6);
}

TEST(SignedRankInterval, OneWildSampleDoesNotMoveIt) {
  std::vector<double> samples = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const Measured before = *SignedRankInterval(samples, 0.9);
  samples.back() = 1e9;
  const Measured after = *SignedRankInterval(samples, 0.9);
  EXPECT_LT(after.High(), 100);
  EXPECT_NEAR(after.Value(), before.Value(), 1);
}

TEST(SignedRankInterval, ExactAndNormalDistributionsAgree) {
  Generator generator(3);
  const auto samples = Sample(generator, 51, DrawNormal);
  const Measured normal = *SignedRankInterval(samples, 0.95);
  const Measured exact = *SignedRankInterval(std::span(samples).first(50), 0.95);
  EXPECT_NEAR(normal.HalfWidth(), exact.HalfWidth(), 0.05);
}

TEST(SignedRankInterval, CoversTheCentreOfHeavyTailsAsOftenAsItSays) {
  Generator generator(7);
  constexpr int kTrials = 2000;
  for (const std::size_t count : {8u, 12u, 30u, 80u}) {
    int covered = 0;
    for (int i = 0; i < kTrials; ++i) {
      // Cauchy: a mean has no interval at all.
      const auto samples = Sample(generator, count, [](Generator& random) {
        return std::tan(3.14159265 * (random.Unit() - 0.5));
      });
      covered += SignedRankInterval(samples, 0.95)->Contains(0);
    }
    EXPECT_TRUE(IsRate(covered, kTrials, 0.95, 0.97)) << count;
  }
}

TEST(SignedRankInterval, RefusesWhatIsNoNumber) {
  EXPECT_FALSE(SignedRankInterval(std::vector<double>(9, NAN), 0.95));
  EXPECT_FALSE(SignedRankInterval(std::vector<double>(9, 1), 1.5));
}

}  // namespace
}  // namespace tare::stats
