// proc_text_test.cc: tests parsing of /proc files, valid and invalid.
#include "machine/load/proc_text.h"

#include <gtest/gtest.h>

#include <string>

namespace tare::load {
namespace {

constexpr std::string_view kBefore =
    "cpu  30 0 10 200 5 0 1 9 0 0\n"
    "cpu0 20 0 10 60 4 1 1 4 3 0\n"
    "cpu11 10 0 4 100 1 0 0 4 0 0\n";
// Core 0: 200 ticks later, 10 of them stolen.
constexpr std::string_view kAfter =
    "cpu  230 0 10 200 5 0 1 19 0 0\n"
    "cpu0 120 0 10 150 4 1 1 14 3 0\n"
    "cpu11 10 0 4 100 1 0 0 4 0 0\n";

TEST(StealShare, IsTheStolenPartOfTheTimeBetween) {
  EXPECT_DOUBLE_EQ(StealShare(kBefore, kAfter, 0), 0.05);
}

TEST(StealShare, IsNothingWithoutTimeOrCoreOrForAClockThatWentBack) {
  EXPECT_EQ(StealShare(kBefore, kAfter, 11), 0);
  EXPECT_EQ(StealShare(kBefore, kAfter, 1), 0);
  EXPECT_EQ(StealShare(kAfter, kBefore, 0), 0);
  EXPECT_EQ(StealShare("", kAfter, 0), 0);
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

}  // namespace
}  // namespace tare::load
