// pmu_test.cc: tests reading the kernel's list of PMUs.
#include "machine/pmu/pmu.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace tare::pmu {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(Pmu, KindsByName) {
  EXPECT_EQ(KindOfPmu("cpu"), PmuKind::kCore);
  EXPECT_EQ(KindOfPmu("cpu_atom"), PmuKind::kCore);
  EXPECT_EQ(KindOfPmu("armv8_pmuv3_0"), PmuKind::kCore);
  EXPECT_EQ(KindOfPmu("apple_firestorm_pmu"), PmuKind::kCore);
  EXPECT_EQ(KindOfPmu("uncore_imc_0"), PmuKind::kOther);
  EXPECT_EQ(KindOfPmu("power"), PmuKind::kOther);
  EXPECT_EQ(KindOfPmu("software"), PmuKind::kKernel);
  EXPECT_EQ(KindOfPmu("tracepoint"), PmuKind::kKernel);
}

TEST(Pmu, TheListIsReadWithItsTypes) {
  std::string name = (std::filesystem::temp_directory_path() / "tare-pmu-XXXXXX").string();
  const std::filesystem::path root = ::mkdtemp(name.data());
  const auto devices = root / "sys/bus/event_source/devices";
  std::filesystem::create_directories(devices / "cpu");
  std::filesystem::create_directories(devices / "software");
  std::ofstream(devices / "cpu/type") << "4\n";
  std::ofstream(devices / "software/type") << "garbage\n";
  const auto pmus = ReadPmus({.root = root});
  std::filesystem::remove_all(root);
  ASSERT_THAT(pmus, SizeIs(2));
  EXPECT_EQ(pmus[0].name, "cpu");
  EXPECT_EQ(pmus[0].type, 4U);
  EXPECT_EQ(pmus[1].kind, PmuKind::kKernel);
  EXPECT_EQ(pmus[1].type, std::nullopt);
}

TEST(Pmu, NoDirectoryIsNoUnits) { EXPECT_THAT(ReadPmus({.root = "/nonexistent"}), IsEmpty()); }

TEST(HasCounters, OneOfTwoEventsIsEnough) {
  EXPECT_FALSE(HasCounters([](const EventCode&) { return -ENOENT; }));
  EXPECT_TRUE(HasCounters([](const EventCode& code) {
    return code.config == PERF_COUNT_HW_CPU_CYCLES ? ::open("/dev/null", O_RDONLY) : -ENOENT;
  }));
}

TEST(UserRead, WithoutAHardwareEventThereIsNone) {
  const UserRead read = TryUserRead([](const EventCode&) { return -ENOENT; });
  EXPECT_FALSE(read.available);
  EXPECT_EQ(read.reason, "no hardware event can be opened");
}

TEST(UserRead, ADescriptorThatCannotBeMappedIsNone) {
  const UserRead read = TryUserRead([](const EventCode&) { return ::open("/dev/tty0", O_PATH); });
  EXPECT_FALSE(read.available);
  EXPECT_NE(read.reason, "");
}

TEST(UserRead, OnThisMachineItWorksOrSaysWhyNot) {
  const UserRead read = TryUserRead();
  EXPECT_EQ(read.available, read.reason.empty()) << read.reason;
}

}  // namespace
}  // namespace tare::pmu
