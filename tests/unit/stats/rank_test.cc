// rank_test.cc: tests of rank.h.
#include "stats/rank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "simulation.h"

namespace tare::stats {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// By definition: the number of smaller samples, plus half of the other equal ones.
std::vector<double> RanksByCounting(const std::vector<double>& samples) {
  std::vector<double> ranks;
  for (double sample : samples) {
    const auto below = std::ranges::count_if(samples, [&](double x) { return x < sample; });
    const auto equal = std::ranges::count(samples, sample);
    ranks.push_back(static_cast<double>(below) + static_cast<double>(equal + 1) / 2);
  }
  return ranks;
}

TEST(AverageRanks, ShareTheAverageAmongEqualSamples) {
  EXPECT_THAT(AverageRanks(std::vector<double>{30, 10, 20, 10, 30, 30}),
              ElementsAre(5, 1.5, 3, 1.5, 5, 5));
}

TEST(AverageRanks, AreThoseOfCountingForAnySamples) {
  Generator generator(41);
  // Few and many (sorted by radix), with ties, of both signs, over the whole range of exponents,
  // and equal in all leading bits.
  for (std::size_t count : {1u, 2u, 17u, 511u, 512u, 1500u}) {
    const auto normal = Sample(generator, count, DrawNormal);
    const auto coarse =
        Sample(generator, count, [](Generator& g) { return std::floor(20 * g.Unit()) - 10; });
    const auto wide = Sample(generator, count, [](Generator& g) {
      return std::ldexp(g.Unit() - 0.5, static_cast<int>(g.Below(2000)) - 1000);
    });
    const auto alike = Sample(generator, count, [](Generator& g) {
      return 1 + static_cast<double>(g.Below(300)) * 0x1p-52;
    });
    auto alike_but_one = alike;
    alike_but_one[0] = -1e300;
    const std::vector<double> equal(count, 3.5);
    for (const auto& samples : {normal, coarse, wide, alike, alike_but_one, equal}) {
      ASSERT_EQ(AverageRanks(samples), RanksByCounting(samples)) << count;
    }
  }
}

TEST(AverageRanks, PutInfinitiesAtTheEndsAndZerosTogether) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(AverageRanks(std::vector<double>{infinity, -0.0, -infinity, 0.0, 5e-324, -5e-324}),
              ElementsAre(6, 3.5, 1, 3.5, 5, 2));
}

TEST(DenseRanks, LeaveNoGaps) {
  EXPECT_THAT(DenseRanks(std::vector<double>{30, 10, 20, 10, 30}), ElementsAre(2, 0, 1, 0, 2));
  EXPECT_THAT(DenseRanks({}), IsEmpty());
}

}  // namespace
}  // namespace tare::stats
