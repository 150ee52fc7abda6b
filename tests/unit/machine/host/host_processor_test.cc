// host_processor_test.cc: tests parsing of /proc/cpuinfo of several vendors.
#include "machine/host/host_processor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "synthetic_machine.h"

namespace tare::host {
namespace {

using std::string_literals::operator""s;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Cpuinfo, IntelNamesItsModelAndFlags) {
  const SyntheticMachine machine(IntelLaptop());
  const auto processor = ReadProcessor(machine.Files());
  ASSERT_TRUE(processor);
  ASSERT_THAT(processor->models, SizeIs(1));
  EXPECT_EQ(processor->models[0].vendor, "Intel");
  EXPECT_EQ(processor->models[0].threads, 2U);
  EXPECT_EQ(ShortModelName(processor->models[0].name), "11th Gen Intel Core i7-1165G7");
  EXPECT_TRUE(processor->invariant_counter);
  EXPECT_TRUE(processor->Has("avx512f"));
  EXPECT_FALSE(processor->Has("avx512"));
  EXPECT_FALSE(processor->says_hypervisor);
}

TEST(Cpuinfo, WithoutNonstopTheCounterIsNotInvariant) {
  EXPECT_FALSE(
      ParseCpuinfo("processor: 0\nmodel name: x\nflags: tsc constant_tsc\n").invariant_counter);
}

TEST(Cpuinfo, ArmPartsGetTheirNames) {
  const SyntheticMachine machine(ArmVirtualMachine());
  const auto processor = ReadProcessor(machine.Files());
  ASSERT_TRUE(processor);
  ASSERT_THAT(processor->models, SizeIs(1));
  EXPECT_EQ(processor->models[0].name, "Arm Neoverse N1");
  EXPECT_EQ(processor->models[0].threads, 2U);
  EXPECT_TRUE(processor->invariant_counter);
}

TEST(Cpuinfo, BigAndLittleCoresAreTwoModels) {
  const auto processor = ParseCpuinfo(
      "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n"
      "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd41\n\n"
      "processor\t: 2\nCPU implementer\t: 0x41\nCPU part\t: 0xd41\n");
  ASSERT_THAT(processor.models, SizeIs(2));
  EXPECT_EQ(processor.models[0].name, "Arm Cortex-A55");
  EXPECT_EQ(processor.models[1].name, "Arm Cortex-A78");
  EXPECT_EQ(processor.models[1].threads, 2U);
}

TEST(ArmModel, UnknownNumbersStayNumbers) {
  EXPECT_EQ(ArmModel(0x41, 0xfff).name, "Arm part 0xfff");
  EXPECT_EQ(ArmModel(0x99, 0x1).name, "implementer 0x99 part 0x001");
  EXPECT_EQ(ArmModel(0x61, 0x23).name, "Apple M1 Firestorm");
  EXPECT_EQ(ArmModel(0xc0, 0xac3).name, "Ampere Ampere-1");
}

TEST(ReadProcessor, FallsBackToTheIdentificationRegister) {
  // 0x411fd401: implementer 0x41, variant 1, part 0xd40, revision 1 (MIDR_EL1, Arm ARM).
  const SyntheticMachine machine(SyntheticFiles{
      {"/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000411fd401\n"}});
  const auto processor = ReadProcessor(machine.Files());
  ASSERT_TRUE(processor);
  EXPECT_EQ(processor->models.at(0).name, "Arm Neoverse V1");
}

TEST(ReadProcessor, SaysWhyThereIsNone) {
  EXPECT_EQ(ReadProcessor(SyntheticMachine(SyntheticFiles()).Files()).error(),
            "there is no /proc/cpuinfo");
  const SyntheticMachine garbage(SyntheticFiles{{"/proc/cpuinfo", "\0\xff:::\n\n:\nflags"s}});
  EXPECT_EQ(ReadProcessor(garbage.Files()).error(), "/proc/cpuinfo lists no processor");
}

TEST(Cpuinfo, NamesThatActOnATerminalAreEscaped) {
  const auto processor = ParseCpuinfo("processor: 0\nmodel name: a\x1b[2Jb\nflags: \x07z\n");
  EXPECT_EQ(processor.models.at(0).name.find('\x1b'), std::string::npos);
  EXPECT_EQ(processor.features.at(0).find('\x07'), std::string::npos);
}

TEST(ShortModelName, LosesMarksAndFrequency) {
  EXPECT_EQ(ShortModelName("Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz"),
            "Intel Xeon Platinum 8375C");
  EXPECT_EQ(ShortModelName("AMD EPYC 7763 64-Core Processor"), "AMD EPYC 7763 64-Core");
  EXPECT_EQ(ShortModelName(""), "");
}

TEST(MeasuringFeatures, OnlyThoseThatThisProcessorHas) {
  EXPECT_THAT(MeasuringFeatures(ParseCpuinfo("flags: fpu vme\n")), IsEmpty());
  EXPECT_THAT(MeasuringFeatures(ParseCpuinfo("flags: fpu avx2 erms\n")), SizeIs(2));
}

}  // namespace
}  // namespace tare::host
