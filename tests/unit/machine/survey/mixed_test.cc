// mixed_test.cc: tests of the overlap constant from times that are given.
#include "machine/survey/mixed.h"

#include <gtest/gtest.h>

namespace tare::survey {
namespace {

using machine_profile::Level;

TEST(Overlap, IsTheHiddenShareOfTheShorterTime) {
  EXPECT_DOUBLE_EQ(Overlap(10, 4, 14), 0);
  EXPECT_DOUBLE_EQ(Overlap(10, 4, 10), 1);
  EXPECT_DOUBLE_EQ(Overlap(4, 10, 12), 0.5);
}

TEST(Overlap, StaysBetweenNothingAndAll) {
  EXPECT_DOUBLE_EQ(Overlap(10, 4, 20), 0);
  EXPECT_DOUBLE_EQ(Overlap(10, 4, 9), 1);
  EXPECT_DOUBLE_EQ(Overlap(0, 4, 4), 0);
}

Samples Times(double seconds) { return {std::vector<double>(6, 1 / seconds)}; }

std::vector<Level> TwoLevels() {
  Level first;
  first.name = "L1";
  first.bytes = 32 << 10;
  Level memory;
  memory.name = "memory";
  return {first, memory};
}

TEST(MixedRates, TakeTheLoopThatIsBalancedBest) {
  const auto levels = TwoLevels();
  BandwidthConfig config;
  config.levels = levels;
  // 24 additions take as long as a line from memory; half of that is hidden.
  const std::map<std::string, Samples> named = {
      {"lines stream 0 memory", Times(8e-9)},   {"lines stream 6 near", Times(2.1e-9)},
      {"lines stream 6 memory", Times(10e-9)},  {"lines stream 24 near", Times(8e-9)},
      {"lines stream 24 memory", Times(12e-9)}, {"mixed instructions", Times(0.1e-9)},
      {"store forwarding", Times(2e-9)}};
  const auto rates = MixedRates(config, named);
  ASSERT_EQ(rates.size(), 4U);
  EXPECT_EQ(rates[0].name, "mixed instructions");
  EXPECT_NEAR(rates[0].figure.Value(), 1e10, 1);
  EXPECT_EQ(rates[1].name, "store forwarding latency");
  EXPECT_NEAR(rates[1].figure.Value(), 2e-9, 1e-15);
  EXPECT_EQ(rates[2].name, "overlap");
  EXPECT_NEAR(rates[2].figure.Value(), 0.5, 1e-9);
  EXPECT_EQ(rates[3].name, "overlap memory stream");
  EXPECT_NEAR(rates[3].figure.Value(), 0.5, 1e-9);
}

TEST(MixedRates, AreMissingWithoutSamples) {
  const auto levels = TwoLevels();
  BandwidthConfig config;
  config.levels = levels;
  EXPECT_TRUE(MixedRates(config, {}).empty());
}

}  // namespace
}  // namespace tare::survey
