// processor_time_test.cc: tests parsing of the line "cpu" of /proc/stat.
#include "machine/host/processor_time.h"

#include <gtest/gtest.h>

#include "synthetic_machine.h"

namespace tare::host {
namespace {

TEST(ProcStat, AddsTheColumnsThatBelongTogether) {
  // proc(5): user nice system idle iowait irq softirq steal guest guest_nice; user includes guest.
  const auto times = ParseProcStat("cpu  1 2 4 8 16 32 64 128 256 512\ncpu0 9 9 9 9\n");
  ASSERT_TRUE(times);
  EXPECT_EQ(times->busy, 1U + 2 + 4 + 32 + 64);
  EXPECT_EQ(times->idle, 8U + 16);
  EXPECT_EQ(times->steal, 128U);
}

TEST(ProcStat, OldKernelsHaveFourColumns) {
  const auto times = ParseProcStat("cpu 1 2 3 4\n");
  ASSERT_TRUE(times);
  EXPECT_EQ(times->Total(), 10U);
}

TEST(ProcStat, WhatIsNotALineOfTimesIsNothing) {
  for (const char* wrong : {"", "cpu", "cpu 1 2 3", "cpu0 1 2 3 4", "cpu a b c d", "cpu 1 2 -3 4",
                            "cpu 18446744073709551615 18446744073709551615 1 1", "\xff\xff\xff"}) {
    EXPECT_EQ(ParseProcStat(wrong).has_value(), false) << wrong;
  }
}

TEST(ProcessorTimes, SharesAreOfTheTotal) {
  const ProcessorTimes times{.busy = 30, .idle = 60, .steal = 10};
  EXPECT_DOUBLE_EQ(BusyShare(times).value(), 0.3);
  EXPECT_DOUBLE_EQ(StealShare(times).value(), 0.1);
  EXPECT_EQ(BusyShare({}), std::nullopt);
}

TEST(ProcessorTimes, AColumnThatStepsBackCountsZero) {
  const auto passed =
      Between({.busy = 10, .idle = 100, .steal = 5}, {.busy = 15, .idle = 99, .steal = 5});
  EXPECT_EQ(passed.busy, 5U);
  EXPECT_EQ(passed.idle, 0U);
  EXPECT_EQ(passed.steal, 0U);
}

TEST(ProcessorTimes, OfThisMachineGoOn) {
  const auto times = ReadProcessorTimes({});
  ASSERT_TRUE(times) << times.error();
  EXPECT_GT(times->Total(), 0U);
}

}  // namespace
}  // namespace tare::host
