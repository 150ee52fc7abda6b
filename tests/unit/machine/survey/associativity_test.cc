// associativity_test.cc: tests deriving associativity from the number of resident lines per stride.
#include "machine/survey/associativity.h"

#include <gtest/gtest.h>

#include <vector>

namespace tare::survey {
namespace {

TEST(StrideWays, AreWhatTwoStridesAgreeOn) {
  // 64 KiB with 4 ways: a way has 16 KiB.
  const std::vector<StrideFit> arm = {
      {2048, std::nullopt}, {4096, 16.1}, {8192, 8.0}, {16384, 4.02}, {32768, 3.97}};
  EXPECT_EQ(SharedSetOf(arm), (SharedSet{4, 16384}));
  // 48 KiB with 12 ways: a way has 4 KiB; at 64 KiB TLB misses interfere.
  const std::vector<StrideFit> intel = {{2048, 24.1}, {4096, 12.0}, {8192, 12.1}, {65536, 4.0}};
  EXPECT_EQ(SharedSetOf(intel), (SharedSet{12, 4096}));
  EXPECT_EQ(SharedSetOf(intel)->Capacity(), 49152);
}

TEST(StrideWays, NothingWhenNoTwoAgree) {
  const std::vector<StrideFit> fits = {{2048, 32.0}, {4096, 16.0}, {8192, 8.0}};
  EXPECT_FALSE(SharedSetOf(fits).has_value());
  EXPECT_FALSE(SharedSetOf(std::vector<StrideFit>{}).has_value());
  const std::vector<StrideFit> all_near = {{2048, std::nullopt}, {4096, std::nullopt}};
  EXPECT_FALSE(SharedSetOf(all_near).has_value());
}

}  // namespace
}  // namespace tare::survey
