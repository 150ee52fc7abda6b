// other_programs_test.cc: the share of other programs in the kernel's account.
#include "machine/host/other_programs.h"

#include <gtest/gtest.h>

namespace tare::host {
namespace {

TEST(OtherPrograms, AreWhatIsNotOwn) {
  // 10 s of two processors at 100 ticks per second: own programs used 8 s of processor time.
  const auto use = UseOf({.busy = 1500, .idle = 400, .steal = 100}, 800, 2);
  ASSERT_TRUE(use);
  EXPECT_DOUBLE_EQ(use->others, 0.7);
  EXPECT_DOUBLE_EQ(use->stolen, 0.1);
  const auto caveats = DisturbancesOf(*use);
  ASSERT_EQ(caveats.size(), 2U);
  EXPECT_EQ(caveats[0].key, CaveatId::kBusyMachine);
  EXPECT_EQ(caveats[0].detail, "they used 0.7 of 2 processors on average");
  EXPECT_EQ(caveats[1].key, CaveatId::kSteal);
  EXPECT_EQ(caveats[1].detail, "5 % of the time");
}

TEST(OtherPrograms, AFewTicksAreNone) {
  const auto use = UseOf({.busy = 1010, .idle = 990, .steal = 0}, 1000, 2);
  ASSERT_TRUE(use);
  EXPECT_TRUE(DisturbancesOf(*use).empty());
  // Ticks are coarser than the accounts of processes.
  const auto less = UseOf({.busy = 990, .idle = 1010, .steal = 0}, 1000, 2);
  ASSERT_TRUE(less);
  EXPECT_EQ(less->others, 0);
}

TEST(OtherPrograms, WithoutATickNothingIsKnown) { EXPECT_FALSE(UseOf({}, 0, 2)); }

}  // namespace
}  // namespace tare::host
