// other_programs_test.cc: the share of other programs in the kernel's account.
#include "machine/host/other_programs.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

namespace tare::host {
namespace {

constexpr double kBurnt = 0.5;

// A child that uses kBurnt seconds of processor time and ends.
pid_t Burn() {
  const pid_t child = ::fork();
  if (child != 0) return child;
  while (static_cast<double>(std::clock()) < kBurnt * CLOCKS_PER_SEC) {
  }
  ::_exit(0);
}

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

TEST(OtherPrograms, TheProgramIsSubtractedOnceAlsoIfItIsAChild) {
  const OtherPrograms others;
  const auto start = std::chrono::steady_clock::now();
  const pid_t program = Burn();
  const pid_t other = Burn();
  ASSERT_EQ(::waitpid(program, nullptr, 0), program);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(other), &ended, WEXITED | WNOWAIT), 0);
  const auto use = others.Beside(kBurnt);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  ASSERT_EQ(::waitpid(other, nullptr, 0), other);
  ASSERT_TRUE(use);
  EXPECT_GT(use->others * passed.count(), 0.1 * kBurnt);
}

TEST(OtherPrograms, WithoutATickNothingIsKnown) { EXPECT_FALSE(UseOf({}, 0, 2)); }

}  // namespace
}  // namespace tare::host
