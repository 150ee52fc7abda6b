// conditions_test.cc: tests reading the settings of synthetic machines, and of one without files.
#include "machine/host/conditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "synthetic_machine.h"

namespace tare::host {
namespace {

using std::string_literals::operator""s;
using testing::ElementsAre;
using testing::SizeIs;

Conditions Read(const SyntheticFiles& files) {
  return ReadConditions(SyntheticMachine(files).Files(), {});
}

TEST(Conditions, OfALaptop) {
  const Conditions conditions = Read(IntelLaptop());
  EXPECT_EQ(conditions.perf_event_paranoid, 3);
  EXPECT_EQ(conditions.ptrace_scope, 1);
  EXPECT_EQ(conditions.randomize_va_space, 2U);
  EXPECT_EQ(conditions.seccomp, Seccomp::kOff);
  ASSERT_TRUE(conditions.privileges);
  EXPECT_FALSE(conditions.privileges->count_all);
  ASSERT_TRUE(conditions.frequency);
  EXPECT_EQ(conditions.frequency->governor, "powersave");
  EXPECT_EQ(conditions.frequency->driver, "intel_pstate");
  EXPECT_EQ(conditions.frequency->turbo, true);
  EXPECT_EQ(conditions.smt_active, true);
  EXPECT_EQ(conditions.nmi_watchdog, true);
  EXPECT_EQ(conditions.transparent_huge_pages, "always");
  ASSERT_TRUE(conditions.clock_source);
  EXPECT_THAT(conditions.clock_source->available, ElementsAre("tsc", "hpet", "acpi_pm"));
  ASSERT_TRUE(conditions.isolation);
  EXPECT_EQ(conditions.isolation->isolated, "");
  EXPECT_EQ(conditions.isolation->tickless, "");
  ASSERT_TRUE(conditions.cpu_pressure);
  EXPECT_NEAR(conditions.cpu_pressure->some_10s, 0.1234, 1e-12);
  EXPECT_FALSE(conditions.io_pressure);
  ASSERT_TRUE(conditions.memory);
  EXPECT_EQ(conditions.memory->swap_used_bytes, 500000U * 1024);
}

TEST(Conditions, OfAServer) {
  const Conditions conditions = Read(AmdServer());
  EXPECT_EQ(conditions.perf_event_paranoid, -1);
  ASSERT_TRUE(conditions.frequency);
  EXPECT_EQ(conditions.frequency->turbo, false);
  ASSERT_TRUE(conditions.isolation);
  EXPECT_EQ(conditions.isolation->isolated, "8-15");
  ASSERT_TRUE(conditions.memory);
  EXPECT_EQ(conditions.memory->huge_pages, 1024U);
  EXPECT_EQ(conditions.memory->huge_page_bytes, 2U << 20);
}

TEST(Conditions, WithoutFilesEveryReasonIsGiven) {
  const Conditions conditions = Read({});
  EXPECT_EQ(conditions.perf_event_paranoid.error(),
            "there is no /proc/sys/kernel/perf_event_paranoid");
  EXPECT_EQ(conditions.ptrace_scope.error(), "there is no /proc/sys/kernel/yama/ptrace_scope");
  EXPECT_EQ(conditions.frequency.error(), "the kernel does not control the frequency here");
  EXPECT_EQ(conditions.smt_active.error(), "there is no /sys/devices/system/cpu/smt/active");
  EXPECT_EQ(conditions.load.error(), "there is no /proc/loadavg");
  EXPECT_EQ(conditions.times_now.error(), "there is no /proc/stat");
  EXPECT_FALSE(conditions.memory);
  EXPECT_FALSE(conditions.isolation);
  EXPECT_FALSE(conditions.clock_source);
  EXPECT_FALSE(conditions.control_group);
  EXPECT_FALSE(conditions.seccomp);
  EXPECT_FALSE(conditions.privileges);
}

TEST(Conditions, GarbageIsNoSetting) {
  SyntheticFiles files = IntelLaptop();
  for (auto& [path, content] : files) content = "\xff\0 [ : \x1b 99999999999999999999"s;
  const Conditions conditions = Read(files);
  EXPECT_FALSE(conditions.perf_event_paranoid);
  EXPECT_FALSE(conditions.smt_active);
  EXPECT_FALSE(conditions.load);
  EXPECT_FALSE(conditions.memory);
  EXPECT_FALSE(conditions.isolation);
  EXPECT_FALSE(conditions.transparent_huge_pages);
  EXPECT_FALSE(conditions.times_since_boot);
}

TEST(Conditions, CoresWithDifferentGovernorsAreMixed) {
  const Conditions conditions =
      Read({{"/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n"},
            {"/sys/devices/system/cpu/cpufreq/policy4/scaling_governor", "schedutil\n"}});
  ASSERT_TRUE(conditions.frequency);
  EXPECT_EQ(conditions.frequency->governor, "mixed");
  EXPECT_EQ(conditions.frequency->turbo, std::nullopt);
}

TEST(Conditions, TheSampleIsWhatPassesWhileWaiting) {
  const SyntheticMachine machine(SyntheticFiles{{"/proc/stat", "cpu 100 0 0 1000 0 0 0 50\n"}});
  ConditionOptions options;
  options.wait = [&] { machine.Write("/proc/stat", "cpu 130 0 0 1060 0 0 0 60\n"); };
  const Conditions conditions = ReadConditions(machine.Files(), options);
  ASSERT_TRUE(conditions.times_now);
  EXPECT_EQ(conditions.times_now->busy, 30U);
  EXPECT_EQ(conditions.times_now->idle, 60U);
  EXPECT_EQ(conditions.times_now->steal, 10U);
  ASSERT_TRUE(conditions.times_since_boot);
  EXPECT_EQ(conditions.times_since_boot->busy, 100U);
}

TEST(Conditions, WithoutWaitingThereIsNoSample) {
  EXPECT_EQ(Read({{"/proc/stat", "cpu 1 2 3 4\n"}}).times_now.error(), "not sampled");
}

TEST(Conditions, SpaceIsReadBelowTheRootAndWhereThereIsADirectory) {
  const SyntheticMachine machine(SyntheticFiles{{"/tmp/x", ""}});
  const Conditions conditions = ReadConditions(machine.Files(), {});
  ASSERT_THAT(conditions.disks, SizeIs(3));
  EXPECT_TRUE(conditions.disks[0].free_bytes) << "the current directory of this test";
  EXPECT_TRUE(conditions.disks[1].free_bytes);
  EXPECT_EQ(conditions.disks[2].free_bytes.error(), "there is no directory /dev/shm");
}

TEST(Loadavg, HasThreeLoadsAndTheRunningThreads) {
  const auto load = ParseLoadavg("0.15 0.11 0.04 2/91 4807\n");
  ASSERT_TRUE(load);
  EXPECT_DOUBLE_EQ(load->one_minute, 0.15);
  EXPECT_EQ(load->running, 2U);
  for (const char* wrong : {"", "1 2 3", "a b c 1/2", "nan 0 0 1/2", "1 1 1 x/2", "-1 0 0 1/1"}) {
    EXPECT_FALSE(ParseLoadavg(wrong)) << wrong;
  }
}

TEST(Meminfo, OldKernelsCountFreeMemoryOnly) {
  const auto memory = ParseMeminfo("MemTotal: 100 kB\nMemFree: 40 kB\n");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->available_bytes, 40U * 1024);
  EXPECT_EQ(memory->swap_used_bytes, 0U);
}

TEST(Meminfo, WithoutUnitOrBeyondAllMemoryIsNothing) {
  EXPECT_FALSE(ParseMeminfo("MemTotal: 100\nMemFree: 40 kB\n"));
  EXPECT_FALSE(ParseMeminfo("MemTotal: 18446744073709551615 kB\nMemFree: 40 kB\n"));
  EXPECT_FALSE(ParseMeminfo(""));
}

TEST(Meminfo, MoreFreeThanTotalSwapIsNoneInUse) {
  const auto memory =
      ParseMeminfo("MemTotal: 9 kB\nMemFree: 4 kB\nSwapTotal: 1 kB\nSwapFree: 2 kB\n");
  EXPECT_EQ(memory.value().swap_used_bytes, 0U);
}

TEST(Pressure, IsAShareOfTheLastTenSeconds) {
  EXPECT_DOUBLE_EQ(ParsePressure("some avg10=50.00 avg60=1 avg300=1 total=1\n")->some_10s, 0.5);
  for (const char* wrong : {"", "full avg10=1.00", "some avg60=1", "some avg10=x", "some avg10="}) {
    EXPECT_FALSE(ParsePressure(wrong)) << wrong;
  }
}

TEST(Seccomp, ModesZeroToTwo) {
  EXPECT_EQ(ParseSeccomp("Seccomp:\t2\n"), Seccomp::kFilter);
  EXPECT_EQ(ParseSeccomp("Seccomp:\t1\n"), Seccomp::kStrict);
  EXPECT_EQ(ParseSeccomp("Seccomp:\t3\n"), std::nullopt);
  EXPECT_EQ(ParseSeccomp("Seccomp_filters:\t2\n"), std::nullopt);
}

TEST(Privileges, ThreeBitsMatter) {
  // CAP_SYS_PTRACE is bit 19, CAP_SYS_ADMIN 21, CAP_PERFMON 38 (linux/capability.h).
  EXPECT_TRUE(ParsePrivileges("CapEff:\t000001ffffffffff\n")->count_all);
  EXPECT_TRUE(ParsePrivileges("CapEff:\t0000004000000000\n")->count_all);
  EXPECT_TRUE(ParsePrivileges("CapEff:\t0000000000200000\n")->count_all);
  EXPECT_FALSE(ParsePrivileges("CapEff:\t0000000000080000\n")->count_all);
  EXPECT_TRUE(ParsePrivileges("CapEff:\t0000000000080000\n")->trace_all);
  EXPECT_FALSE(ParsePrivileges("CapEff:\t\n"));
}

}  // namespace
}  // namespace tare::host
