// process_text_test.cc: tests parsing of /proc files, with names that imitate fields.
#include "measure/sample/process_text.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace tare::sample {
namespace {

// Fields 3 to 25 of proc_pid_stat(5), each with its own number.
const std::string kFields =
    " R 4 5 6 7 8 9 100 110 120 130 140 150 160 170 18 19 20 21 22 23 240 25 26\n";

TEST(ProcessStat, HasItsFieldsByTheirPlace) {
  const auto stat = ParseProcessStat("17 (sort)" + kFields);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->state, 'R');
  EXPECT_EQ(stat->minor_faults, 100U);
  EXPECT_EQ(stat->waited_minor_faults, 110U);
  EXPECT_EQ(stat->major_faults, 120U);
  EXPECT_EQ(stat->waited_major_faults, 130U);
  EXPECT_EQ(stat->user_ticks, 140U);
  EXPECT_EQ(stat->system_ticks, 150U);
  EXPECT_EQ(stat->waited_user_ticks, 160U);
  EXPECT_EQ(stat->waited_system_ticks, 170U);
  EXPECT_EQ(stat->threads, 20U);
  EXPECT_EQ(stat->resident_pages, 240U);
}

TEST(ProcessStat, IsNotFooledByTheProgramsName) {
  for (const char* name : {"a) R 1 (b", ") Z 1 2 3", "(", "))))", "two\nlines) S 1", ""}) {
    const auto stat = ParseProcessStat("17 (" + std::string(name) + ")" + kFields);
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->state, 'R') << name;
    EXPECT_EQ(stat->minor_faults, 100U) << name;
    EXPECT_EQ(stat->resident_pages, 240U) << name;
  }
}

TEST(ProcessStat, MayHaveNegativeUnusedFields) {
  const auto stat = ParseProcessStat(
      "17 (sort) S 4 5 6 -1 -1 9 100 110 120 130 140 150 160 170 -20 -19 1 0 22 23 240 25\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->threads, 1U);
}

TEST(ProcessStat, IsNothingWhenCut) {
  const std::string whole = "17 (sort)" + kFields;
  const std::size_t last = whole.find(" 240");
  for (std::size_t size = 0; size <= last; ++size) {
    EXPECT_FALSE(ParseProcessStat(whole.substr(0, size))) << size;
  }
  EXPECT_TRUE(ParseProcessStat(whole.substr(0, last + 4)));
}

TEST(ProcessStat, OfThisProcessCanBeRead) {
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto stat = ParseProcessStat(text);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->state, 'R');
  EXPECT_GT(stat->minor_faults, 0U);
  EXPECT_GT(stat->resident_pages, 0U);
  EXPECT_GE(stat->threads, 1U);
}

const std::string kIo =
    "rchar: 1948\nwchar: 12\nsyscr: 7\nsyscw: 1\nread_bytes: 4096\nwrite_bytes: 8192\n"
    "cancelled_write_bytes: 3\n";

TEST(ProcessIo, HasItsFieldsByTheirNames) {
  const auto io = ParseProcessIo(kIo);
  ASSERT_TRUE(io);
  EXPECT_EQ(io->read_bytes, 1948U);
  EXPECT_EQ(io->written_bytes, 12U);
  EXPECT_EQ(io->read_calls, 7U);
  EXPECT_EQ(io->write_calls, 1U);
  EXPECT_EQ(io->storage_read_bytes, 4096U);
  EXPECT_EQ(io->storage_written_bytes, 8192U);
}

TEST(ProcessIo, IsNothingWithoutAField) {
  EXPECT_FALSE(ParseProcessIo(""));
  EXPECT_FALSE(ParseProcessIo("rchar: 1948\nwchar: 12\n"));
  EXPECT_FALSE(ParseProcessIo("cancelled_" + kIo.substr(kIo.find("write_bytes"))));
}

TEST(Switches, AreFoundByTheirWholeNames) {
  const auto switches = ParseSwitches(
      "Name:\tvoluntary_ctxt_switches:\t9\nnonvoluntary_ctxt_switches:\t5\n"
      "voluntary_ctxt_switches:\t4\n");
  ASSERT_TRUE(switches);
  EXPECT_EQ(switches->voluntary, 4U);
  EXPECT_EQ(switches->involuntary, 5U);
}

TEST(Switches, AreNothingWhenANumberIsNone) {
  EXPECT_FALSE(ParseSwitches("voluntary_ctxt_switches:\tx\nnonvoluntary_ctxt_switches:\t5\n"));
  EXPECT_FALSE(ParseSwitches("voluntary_ctxt_switches:\nnonvoluntary_ctxt_switches:\t5\n"));
  EXPECT_FALSE(ParseSwitches("voluntary_ctxt_switches:\t1\n"));
}

}  // namespace
}  // namespace tare::sample
