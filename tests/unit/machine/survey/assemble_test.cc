// assemble_test.cc: tests deriving a level's values from curves.
#include "machine/survey/assemble.h"

#include <gtest/gtest.h>

namespace tare::survey {
namespace {

using machine_profile::Access;
using machine_profile::Pattern;

std::vector<machine_profile::Level> Levels() {
  std::vector<machine_profile::Level> levels(3);
  levels[0] = {.name = "L1", .bytes = 32768, .line_bytes = 64, .ways = 8};
  levels[1] = {.name = "L2", .bytes = 1 << 20, .line_bytes = 64, .ways = 16};
  levels[2] = {.name = "memory", .bytes = std::uint64_t{1} << 34};
  levels[1].latency = Between(5e-9, 4e-9, 6e-9, 0.95);
  return levels;
}

Samples Steady(double rate) { return {{rate, rate, rate, rate * 0.99, rate * 1.01, rate}}; }

CurveSamples SamplesOf(Access access, Pattern pattern, unsigned element) {
  return {{access, pattern, 1, element},
          {{8192, Steady(4e9)},
           {32768, Steady(3.9e9)},
           {180224, Steady(1e9)},
           {1 << 20, Steady(0.8e9)},
           {1 << 24, Steady(0.25e9)}},
          2};
}

TEST(Levels, GetTheBandwidthWellWithinThem) {
  auto levels = Levels();
  const std::vector<CurveSamples> samples = {SamplesOf(Access::kLoad, Pattern::kStrided, 16),
                                             SamplesOf(Access::kLoad, Pattern::kRandom, 8)};
  const auto curves = CurvesOf(samples, levels);
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].points[0].hits, (std::vector<double>{1, 1}));
  EXPECT_EQ(curves[0].points[4].hits.back(), 0.75);
  FillBandwidths(levels, curves, 16);
  EXPECT_DOUBLE_EQ(levels[0].load->Value(), 4e9 * 16);
  EXPECT_DOUBLE_EQ(levels[1].load->Value(), 1e9 * 16);
  EXPECT_DOUBLE_EQ(levels[2].load->Value(), 0.25e9 * 16);
  EXPECT_FALSE(levels[0].store.has_value());
  EXPECT_FALSE(levels[0].parallel.has_value());
  ASSERT_TRUE(levels[1].parallel.has_value());
  EXPECT_DOUBLE_EQ(levels[1].parallel->Value(), 5);
  EXPECT_FALSE(levels[2].parallel.has_value());
}

TEST(Curves, LeaveOutPointsThatWereNotReached) {
  const std::vector<CurveSamples> samples = {
      {{Access::kStore, Pattern::kStrided, 1, 8}, {{1024, Steady(1e9)}, {2048, {}}}, 0}};
  const auto curves = CurvesOf(samples, Levels());
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].points.size(), 1u);
}

}  // namespace
}  // namespace tare::survey
