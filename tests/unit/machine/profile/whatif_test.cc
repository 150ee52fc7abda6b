// whatif_test.cc: tests changes and ranges as users write them.
#include "machine/profile/whatif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tare::machine_profile {
namespace {

using testing::HasSubstr;

TEST(ParseWhatIf, TakesSeveralChanges) {
  const auto series = ParseWhatIf("L3.bytes=64MiB,memory.bandwidth=x2");
  ASSERT_TRUE(series.has_value()) << series.error().message;
  EXPECT_TRUE(series->ranged.empty());
  ASSERT_EQ(series->machines.size(), 1U);
  EXPECT_EQ(series->machines[0].changes.size(), 2U);
  EXPECT_EQ(series->machines[0].text, "L3.bytes=64MiB, memory.bandwidth=x2");
}

TEST(ParseWhatIf, DoublesSizesWithinARange) {
  const auto series = ParseWhatIf("memory.latency=60ns,L2.bytes=256KiB..4MiB");
  ASSERT_TRUE(series.has_value()) << series.error().message;
  EXPECT_EQ(series->ranged, "L2.bytes");
  EXPECT_EQ(series->unit, "B");
  ASSERT_EQ(series->machines.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_DOUBLE_EQ(series->machines[i].x, (256 << 10) * (1 << i));
    ASSERT_EQ(series->machines[i].changes.size(), 2U);
    EXPECT_DOUBLE_EQ(series->machines[i].changes[1].value, series->machines[i].x);
  }
  EXPECT_EQ(series->machines[1].text, "memory.latency=60ns, L2.bytes=512KiB");
  EXPECT_EQ(series->machines[2].text, "memory.latency=60ns, L2.bytes=1MiB");
}

TEST(ParseWhatIf, TakesFactorsAtEqualRatios) {
  const auto series = ParseWhatIf("memory.bandwidth=x1..x16");
  ASSERT_TRUE(series.has_value()) << series.error().message;
  ASSERT_EQ(series->machines.size(), static_cast<std::size_t>(kSteps));
  EXPECT_DOUBLE_EQ(series->machines.front().x, 1);
  EXPECT_NEAR(series->machines[4].x, 4, 1e-9);
  EXPECT_DOUBLE_EQ(series->machines.back().x, 16);
}

// The text of the machine in the middle of a range.
std::string MiddleOf(std::string_view range) {
  const auto series = ParseWhatIf(range);
  if (!series) return series.error().message;
  return series->machines[series->machines.size() / 2].text;
}

// Of nine machines at equal ratios, the fifth is the geometric mean of both ends.
TEST(ParseWhatIf, WritesNumbersWithoutExponents) {
  EXPECT_EQ(MiddleOf("memory.latency=10us..40us"), "memory.latency=20000ns");
  EXPECT_EQ(MiddleOf("memory.latency=0.01ns..0.04ns"), "memory.latency=0.02ns");
  EXPECT_EQ(MiddleOf("memory.latency=2ns..6ns"), "memory.latency=3.464ns");
  EXPECT_EQ(MiddleOf("L1.load=10000GB/s..40000GB/s"), "L1.load=20000GB/s");
  EXPECT_EQ(MiddleOf("memory.bandwidth=10KB/s..40KB/s"), "memory.bandwidth=0.00002GB/s");
  EXPECT_EQ(MiddleOf("memory.bandwidth=x0.001..x0.004"), "memory.bandwidth=x0.002");
  EXPECT_EQ(MiddleOf("TLB.entries=1048577..4194308"), "TLB.entries=2097154");
}

TEST(ParseWhatIf, TakesEntriesOfTlbs) {
  const auto series = ParseWhatIf("TLB.entries=64..1024");
  ASSERT_TRUE(series.has_value()) << series.error().message;
  EXPECT_EQ(series->machines.size(), 5U);
}

TEST(ParseWhatIf, RefusesWhatIsNotAChange) {
  for (const char* text :
       {"", "L2", "L2.bytes=", "L2.bytes=1..", "L2.bytes=4MiB..1MiB", "L2.bytes=1MiB..x4",
        "L2.colour=red", ",", "TLB.colour=red", "TLB.miss=0ns..20ns"}) {
    const auto series = ParseWhatIf(text);
    ASSERT_FALSE(series.has_value()) << text;
    EXPECT_EQ(series.error().kind, ErrorKind::kUsage) << text;
  }
  const auto two = ParseWhatIf("L2.bytes=1MiB..2MiB,L3.bytes=4MiB..8MiB");
  ASSERT_FALSE(two.has_value());
  EXPECT_THAT(two.error().message, HasSubstr("more than one range"));
}

}  // namespace
}  // namespace tare::machine_profile
