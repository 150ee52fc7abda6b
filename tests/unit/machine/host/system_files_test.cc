// system_files_test.cc: tests reading files below a root, and the reasons why one cannot be read.
#include "machine/host/system_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "synthetic_machine.h"

namespace tare::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(SystemFiles, NumbersAndLinesComeFromBelowTheRoot) {
  const SyntheticMachine machine(
      SyntheticFiles{{"/proc/a", " 7\n"}, {"/proc/b", "\n\n two words \nmore\n"}});
  EXPECT_EQ(machine.Files().Whole("/proc/a"), 7U);
  EXPECT_EQ(machine.Files().Signed("/proc/a"), 7);
  EXPECT_EQ(machine.Files().Line("/proc/b"), "two words");
  EXPECT_FALSE(machine.Files().IsThisMachine());
  EXPECT_TRUE(SystemFiles().IsThisMachine());
}

TEST(SystemFiles, TheReasonNamesTheFileAsOnARealMachine) {
  const SyntheticMachine machine(SyntheticFiles{{"/proc/a", "seven\n"}, {"/proc/directory/x", ""}});
  EXPECT_EQ(machine.Files().Whole("/proc/none").error(), "there is no /proc/none");
  EXPECT_EQ(machine.Files().Whole("/proc/a").error(), "/proc/a is not a number in range");
  EXPECT_EQ(machine.Files().Line("/proc/directory").error(), "/proc/directory cannot be read");
}

TEST(SystemFiles, BytesThatActOnATerminalAreEscaped) {
  const SyntheticMachine machine(SyntheticFiles{{"/proc/a", "evil\x1b[31m\xff\n"}});
  const auto line = machine.Files().Line("/proc/a");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->find('\x1b'), std::string::npos);
  EXPECT_EQ(line->find('\xff'), std::string::npos);
  EXPECT_THAT(*line, HasSubstr("evil"));
}

TEST(SystemFiles, AnEmptyFileIsAnEmptyLineAndNoNumber) {
  const SyntheticMachine machine(SyntheticFiles{{"/proc/a", ""}});
  EXPECT_EQ(machine.Files().Line("/proc/a"), "");
  EXPECT_FALSE(machine.Files().Whole("/proc/a"));
}

TEST(SystemFiles, AFileThatNeverEndsIsRefused) {
  const SyntheticMachine machine(SyntheticFiles{{"/proc/a", std::string((16 << 20) + 1, '1')}});
  EXPECT_EQ(machine.Files().Text("/proc/a").error(), "/proc/a cannot be read");
}

TEST(SystemFiles, NamesAreSortedAndNoneWhereThereIsNoDirectory) {
  const SyntheticMachine machine(SyntheticFiles{{"/sys/b/x", ""}, {"/sys/a/x", ""}});
  EXPECT_THAT(machine.Files().Names("/sys"), ElementsAre("a", "b"));
  EXPECT_THAT(machine.Files().Names("/sys/c"), IsEmpty());
  EXPECT_THAT(machine.Files().Names("/sys/a/x"), IsEmpty());
}

}  // namespace
}  // namespace tare::host
