// proc_text_test.cc: texts of /proc as kernels write them, and as nobody should.
#include "load/proc_text.h"

#include <gtest/gtest.h>

#include <string>

namespace tare::load {
namespace {

constexpr std::string_view kStat =
    "cpu  30 0 10 200 5 0 1 9 0 0\n"
    "cpu0 20 0 6 100 4 1 1 5 3 0\n"
    "cpu11 10 0 4 100 1 0 0 4 0 0\n"
    "intr 163064 0 14490\n"
    "ctxt 1\n";

TEST(ParseCpuTimes, ReadsEachCoreButNotTheSum) {
  const auto times = ParseCpuTimes(kStat).value();
  ASSERT_EQ(times.size(), 2u);
  // Guest time, the 3 at the end, is part of user time already.
  EXPECT_EQ(times.at(0).total, 137u);
  EXPECT_EQ(times.at(0).idle, 104u);
  EXPECT_EQ(times.at(0).steal, 5u);
  EXPECT_EQ(times.at(11).steal, 4u);
}

TEST(ParseCpuTimes, TakesTheFourColumnsOfOldKernels) {
  EXPECT_EQ(ParseCpuTimes("cpu0 1 2 3 4").value().at(0).total, 10u);
}

TEST(ParseCpuTimes, RefusesDamagedLines) {
  for (std::string_view text :
       {"", "cpu 1 2 3 4\n", "cpu0\n", "cpu0 1 2 3\n", "cpu0 1 2 x 4\n", "cpuX 1 2 3 4\n",
        "cpu0 1 2 3 -4\n", "cpu99999999999 1 2 3 4\n", "cpu0 1 2 3 99999999999999999999999\n"}) {
    const auto times = ParseCpuTimes(text);
    ASSERT_FALSE(times) << text;
    EXPECT_EQ(times.error().kind, ErrorKind::kFormat);
  }
}

TEST(StealShare, IsTheStolenPartOfTheTimeBetween) {
  const CpuTimes before = {{0, {100, 50, 2}}};
  const CpuTimes after = {{0, {300, 150, 12}}};
  EXPECT_DOUBLE_EQ(StealShare(before, after, 0), 0.05);
}

TEST(StealShare, IsNothingWithoutTimeOrCoreOrForAClockThatWentBack) {
  const CpuTimes before = {{0, {100, 50, 2}}};
  EXPECT_EQ(StealShare(before, before, 0), 0);
  EXPECT_EQ(StealShare(before, {}, 0), 0);
  EXPECT_EQ(StealShare({}, before, 0), 0);
  EXPECT_EQ(StealShare(before, {{0, {200, 50, 1}}}, 0), 0);
}

// Fields 3 to 52 of proc(5); utime 14, stime 15, nice 19, processor 39.
constexpr std::string_view kTail =
    "R 1 2 3 0 -1 4194304 100 0 0 0 250 50 0 0 20 5 1 0 1000 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 7 0 "
    "0 0 0 0\n";

TEST(ParseProcessStat, ReadsTimesNiceValueAndProcessor) {
  const auto stat = ParseProcessStat("42 (make) " + std::string(kTail)).value();
  EXPECT_EQ(stat.pid, 42u);
  EXPECT_EQ(stat.name, "make");
  EXPECT_EQ(stat.cpu_ticks, 300u);
  EXPECT_EQ(stat.nice, 5);
  EXPECT_EQ(stat.processor, 7u);
}

TEST(ParseProcessStat, KeepsANameThatLooksLikeTheRestOfTheLine) {
  const auto stat = ParseProcessStat("42 (a) R 1 (b) " + std::string(kTail)).value();
  EXPECT_EQ(stat.name, "a) R 1 (b");
  EXPECT_EQ(stat.cpu_ticks, 300u);
}

TEST(ParseProcessStat, RefusesDamagedLines) {
  EXPECT_FALSE(ParseProcessStat(""));
  EXPECT_FALSE(ParseProcessStat("42 make " + std::string(kTail)));
  EXPECT_FALSE(ParseProcessStat(") 42 (" + std::string(kTail)));
  EXPECT_FALSE(ParseProcessStat("x (make) " + std::string(kTail)));
  EXPECT_FALSE(ParseProcessStat("42 (make) R 1 2 3"));
  EXPECT_FALSE(ParseProcessStat("42 (make)"));
}

TEST(CpuControlGroup, PrefersTheCpuControllerOfVersionOne) {
  EXPECT_EQ(CpuControlGroup("9:name=systemd:/\n4:cpu,cpuacct:/work\n0::/other\n"), "/work");
  EXPECT_EQ(CpuControlGroup("2:cpuacct:/a\n1:cpuset:/b\n0::/user.slice\n"), "/user.slice");
  EXPECT_EQ(CpuControlGroup("0::/a:b\n"), "/a:b");
  EXPECT_EQ(CpuControlGroup(""), "");
  EXPECT_EQ(CpuControlGroup("nonsense"), "");
}

TEST(Autogroup, IsTheFirstWord) {
  EXPECT_EQ(Autogroup("/autogroup-17 nice 0\n"), "/autogroup-17");
  EXPECT_EQ(Autogroup(""), "");
}

TEST(CpuModel, KnowsTheFormsOfBothProcessors) {
  EXPECT_EQ(CpuModel("processor\t: 0\nmodel name\t: Xeon 6 @ 2.7GHz\n"), "Xeon 6 @ 2.7GHz");
  EXPECT_EQ(CpuModel("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n\n"),
            "Arm implementer 0x41 part 0xd40");
  EXPECT_EQ(CpuModel(""), "unknown processor");
  EXPECT_EQ(CpuModel("model name\t:\n"), "unknown processor");
}

}  // namespace
}  // namespace tare::load
