// io_wait_test.cc: tests the time that a program waits for storage, on files written by hand.
#include "machine/load/io_wait.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/machine/host/written_files.h"

namespace tare::load {
namespace {

using testing::HasSubstr;
using testing::Optional;

// A line of /proc/PID/stat with this field 42; the name contains what the format allows.
std::string Stat(std::uint64_t pid, std::uint64_t ticks) {
  std::string line = fmt::format("{} (a) b) S", pid);
  for (int field = 4; field <= 52; ++field) line += fmt::format(" {}", field == 42 ? ticks : 0);
  return line + "\n";
}

class IoWaitTest : public host::WrittenFiles {
 protected:
  void Pressure(int some, int full) const {
    Write("/proc/pressure/io", fmt::format("some avg10=0.00 avg60=0.24 avg300=0.39 total={}\n"
                                           "full avg10=0.00 avg60=0.15 avg300=0.17 total={}\n",
                                           some, full));
  }
};

TEST(WaitedTicks, IsTheFortySecondField) {
  EXPECT_THAT(WaitedTicks(Stat(7, 123)), Optional(123U));
  EXPECT_EQ(WaitedTicks("7 (a) S 1 2 3"), std::nullopt);
  EXPECT_EQ(WaitedTicks(""), std::nullopt);
}

TEST_F(IoWaitTest, AddsThreadsAndDescendantsAndKeepsThoseThatEnded) {
  Write("/proc/sys/kernel/task_delayacct", "1\n");
  Pressure(1'000'000, 500'000);
  IoWaitMeter meter(files_, 0.01);
  Write("/proc/10/task/10/stat", Stat(10, 5));
  Write("/proc/10/task/10/children", "20 ");
  Write("/proc/10/task/11/stat", Stat(11, 7));
  Write("/proc/20/task/20/stat", Stat(20, 30));
  meter.Sample(10);
  std::filesystem::remove_all(files_.Place("/proc/20"));
  Write("/proc/10/task/10/stat", Stat(10, 15));
  meter.Sample(10);
  Pressure(3'500'000, 750'000);
  const IoWait wait = meter.Read();
  EXPECT_NEAR(wait.program.Value(), 0.52, 1e-9);  // 15 + 7 + 30 ticks of 10 ms
  EXPECT_NEAR(wait.program.High(), 0.55, 1e-9);
  EXPECT_NEAR(wait.machine_some.Value(), 2.5, 1e-9);
  EXPECT_NEAR(wait.machine_full.Value(), 0.25, 1e-9);
  EXPECT_EQ(wait.machine_some.verdict, Verdict::kDoubtful);
}

TEST_F(IoWaitTest, IsAbsentWithTheReasonWhereTheKernelDoesNotAccount) {
  Write("/proc/sys/kernel/task_delayacct", "0\n");
  IoWaitMeter meter(files_, 0.01);
  Write("/proc/10/task/10/stat", Stat(10, 0));
  meter.Sample(10);
  const IoWait wait = meter.Read();
  EXPECT_FALSE(wait.program.value);
  EXPECT_THAT(wait.program.reason, HasSubstr("kernel.task_delayacct=1"));
  EXPECT_FALSE(wait.machine_some.value);
  EXPECT_THAT(wait.machine_some.reason, HasSubstr("/proc/pressure/io"));
}

TEST_F(IoWaitTest, OfAProgramThatWasNeverSeenIsAbsent) {
  IoWaitMeter meter(files_, 0.01);
  meter.Sample(10);
  EXPECT_FALSE(meter.Read().program.value);
}

}  // namespace
}  // namespace tare::load
