// installed_program_test.cc: tests programs that answer, fail, print too much or hang.
#include "machine/host/installed_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "synthetic_machine.h"

namespace tare::host {
namespace {

using testing::HasSubstr;

// Long enough for a very busy machine.
constexpr ProgramLimits kPatient{.time = std::chrono::minutes(1), .output_bytes = 65536};

class Script {
 public:
  explicit Script(std::string_view body) : directory_(SyntheticFiles{}) {
    directory_.Write("/bin/program", "#!/bin/sh\n" + std::string(body));
    ::chmod(Path().c_str(), 0755);
  }
  std::filesystem::path Path() const { return directory_.Files().Place("/bin/program"); }

 private:
  SyntheticMachine directory_;
};

TEST(RunBriefly, GivesOutputOfBothKindsAndTheStatus) {
  const Script script("echo out; echo err >&2; exit 3\n");
  const auto output = RunBriefly(script.Path(), {}, kPatient);
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->text, "out\nerr\n");
  EXPECT_EQ(output->exit_status, 3);
  EXPECT_FALSE(output->cut);
}

TEST(RunBriefly, ArgumentsAreNotInterpreted) {
  const auto output = RunBriefly("/bin/echo", {"$HOME;", "`x`", "a  b"}, kPatient);
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->text, "$HOME; `x` a  b\n");
}

TEST(RunBriefly, TheProgramSeesNoInputNoSettingsAndAnotherDirectory) {
  const Script script("cat; pwd; echo \"[$VALGRIND_OPTS][$HOME]\"\n");
  ::setenv("VALGRIND_OPTS", "--verbose", 1);
  const auto output = RunBriefly(script.Path(), {}, kPatient);
  ::unsetenv("VALGRIND_OPTS");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->text, "/\n[][]\n");
}

// Whether the process is gone, or a zombie that its new parent has not yet reaped.
bool IsDead(std::string_view pid) {
  const auto stat = SystemFiles().Text("/proc/" + std::string(pid) + "/stat");
  return !stat || stat->find(") Z ") != std::string::npos;
}

TEST(RunBriefly, AProgramThatHangsIsKilledWithItsChildren) {
  const SyntheticMachine notes(SyntheticFiles{{"/x", ""}});
  const std::string note = notes.Files().Place("/child").string();
  const Script script("sleep 1000 & echo $! > " + note + "; echo started; wait\n");
  ProgramLimits limits;
  limits.time = std::chrono::milliseconds(500);
  const auto output = RunBriefly(script.Path(), {}, limits);
  ASSERT_FALSE(output);
  EXPECT_THAT(output.error().message, HasSubstr("did not exit within 500 ms"));
  const auto child = notes.Files().Line("/child");
  if (!child || child->empty()) GTEST_SKIP() << "the script did not start within 500 ms";
  for (int tries = 0; tries < 1000 && !IsDead(*child); ++tries) ::usleep(10000);
  EXPECT_TRUE(IsDead(*child)) << *child;
}

TEST(RunBriefly, AProgramThatClosesItsOutputAndHangsIsKilledToo) {
  const Script script("exec >/dev/null 2>&1; exec sleep 1000\n");
  ProgramLimits limits;
  limits.time = std::chrono::milliseconds(300);
  EXPECT_FALSE(RunBriefly(script.Path(), {}, limits));
}

TEST(RunBriefly, ABabblerIsCutAtTheLimit) {
  const Script script("while :; do echo 0123456789; done\n");
  ProgramLimits limits;
  limits.output_bytes = 100;
  limits.time = std::chrono::seconds(20);
  const auto output = RunBriefly(script.Path(), {}, limits);
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_TRUE(output->cut);
  EXPECT_EQ(output->text.size(), 100U);
}

TEST(RunBriefly, ACrashIsNamed) {
  const Script script("kill -SEGV $$\n");
  const auto output = RunBriefly(script.Path(), {}, kPatient);
  ASSERT_FALSE(output);
  EXPECT_THAT(output.error().message, HasSubstr("killed by signal 11"));
}

TEST(RunBriefly, WhatCannotBeStartedIsAnError) {
  EXPECT_FALSE(RunBriefly("/nonexistent/program", {}));
  const SyntheticMachine machine(SyntheticFiles{{"/bin/data", "not a program"}});
  EXPECT_FALSE(RunBriefly(machine.Files().Place("/bin/data"), {}));
}

TEST(FindProgram, TakesTheFirstExecutableInAbsoluteDirectories) {
  const Script script("true\n");
  const std::string directory = script.Path().parent_path().string();
  EXPECT_EQ(FindProgram("program", "/nonexistent:" + directory), script.Path());
  EXPECT_EQ(FindProgram("program", ""), std::nullopt);
  EXPECT_EQ(FindProgram("program", ":."), std::nullopt);
  EXPECT_EQ(FindProgram("", directory), std::nullopt);
  EXPECT_EQ(FindProgram("../bin/program", directory), std::nullopt);
}

TEST(FindProgram, PassesOverDirectoriesAndFilesThatCannotRun) {
  const SyntheticMachine machine(SyntheticFiles{{"/a/program", "x"}, {"/b/program/x", ""}});
  const auto place = [&](std::string_view path) { return machine.Files().Place(path).string(); };
  EXPECT_EQ(FindProgram("program", place("/a") + ":" + place("/b")), std::nullopt);
}

TEST(VersionIn, FindsTheNumber) {
  EXPECT_EQ(VersionIn("valgrind-3.19.0\n"), "3.19.0");
  EXPECT_EQ(VersionIn("qemu-x86_64 version 7.2.22 (Debian 1:7.2+dfsg-7)\nCopyright 2003\n"),
            "7.2.22");
  EXPECT_EQ(VersionIn("Debian clang version 19.1.7 (3~deb12u1)\n"), "19.1.7");
  EXPECT_EQ(VersionIn("tool 1.2.3, built today"), "1.2.3");
  EXPECT_EQ(VersionIn("x86_64 5"), "");
  EXPECT_EQ(VersionIn("first line\nversion 1.2\n"), "");
  EXPECT_EQ(VersionIn(""), "");
  EXPECT_EQ(VersionIn("9."), "");
}

}  // namespace
}  // namespace tare::host
