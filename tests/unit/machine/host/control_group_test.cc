// control_group_test.cc: tests limits of control groups, versions 1 and 2.
#include "machine/host/control_group.h"

#include <gtest/gtest.h>

#include "synthetic_machine.h"

namespace tare::host {
namespace {

TEST(CpuMax, IsQuotaOverPeriod) {
  EXPECT_DOUBLE_EQ(ParseCpuMax("150000 100000\n").value(), 1.5);
  EXPECT_EQ(ParseCpuMax("max 100000"), std::nullopt);
  for (const char* wrong : {"", "1", "1 0", "0 100000", "-1 100000", "a b", "1 2 3"}) {
    EXPECT_EQ(ParseCpuMax(wrong), std::nullopt) << wrong;
  }
}

TEST(ControlGroup, SecondVersion) {
  const auto group = ReadControlGroup(SyntheticMachine(ArmVirtualMachine()).Files());
  ASSERT_TRUE(group);
  EXPECT_DOUBLE_EQ(group->cores.value(), 1.5);
  EXPECT_EQ(group->memory_bytes, 512U << 20);
  EXPECT_EQ(group->throttled, 7U);
}

TEST(ControlGroup, FirstVersionLooksAtTheGroupsAbove) {
  const auto group = ReadControlGroup(SyntheticMachine(AmdServer()).Files());
  ASSERT_TRUE(group);
  EXPECT_DOUBLE_EQ(group->cores.value(), 16);
  EXPECT_EQ(group->memory_bytes, std::nullopt) << "the largest number means no limit";
}

TEST(ControlGroup, TheTightestLimitCounts) {
  const SyntheticMachine machine(SyntheticFiles{{"/proc/self/cgroup", "0::/a/b\n"},
                                                {"/sys/fs/cgroup/a/cpu.max", "50000 100000\n"},
                                                {"/sys/fs/cgroup/a/b/cpu.max", "200000 100000\n"},
                                                {"/sys/fs/cgroup/a/memory.max", "max\n"},
                                                {"/sys/fs/cgroup/a/b/memory.max", "4096\n"}});
  const auto group = ReadControlGroup(machine.Files());
  ASSERT_TRUE(group);
  EXPECT_DOUBLE_EQ(group->cores.value(), 0.5);
  EXPECT_EQ(group->memory_bytes, 4096U);
}

TEST(ControlGroup, ThePathOfAHostLeadsToTheContainersOwnGroup) {
  const SyntheticMachine machine(
      SyntheticFiles{{"/proc/self/cgroup", "3:cpu,cpuacct:/docker/0123abcd\n"},
                     {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n"},
                     {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}});
  EXPECT_DOUBLE_EQ(ReadControlGroup(machine.Files())->cores.value(), 2);
}

TEST(ControlGroup, NothingOutsideItsDirectoryIsRead) {
  const SyntheticMachine machine(SyntheticFiles{{"/proc/self/cgroup", "0::/../../../secret\n"},
                                                {"/secret/cpu.max", "1 100000\n"},
                                                {"/sys/fs/cgroup/x", ""}});
  EXPECT_EQ(ReadControlGroup(machine.Files())->cores, std::nullopt);
}

TEST(ControlGroup, GarbageLimitsNothing) {
  const SyntheticMachine machine(
      SyntheticFiles{{"/proc/self/cgroup", "x\n::\n0:\n0::\n:::::\n9:cpu,,memory,:/\n"},
                     {"/sys/fs/cgroup/cpu.max", "\xff\xff\n"},
                     {"/sys/fs/cgroup/memory.max", "99999999999999999999999\n"}});
  const auto group = ReadControlGroup(machine.Files());
  ASSERT_TRUE(group);
  EXPECT_EQ(group->cores, std::nullopt);
  EXPECT_EQ(group->memory_bytes, std::nullopt);
}

TEST(ControlGroup, WithoutTheFileTheReasonIsGiven) {
  EXPECT_EQ(ReadControlGroup(SyntheticMachine(SyntheticFiles()).Files()).error(),
            "there is no /proc/self/cgroup");
}

}  // namespace
}  // namespace tare::host
