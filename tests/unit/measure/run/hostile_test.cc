// hostile_test.cc: tests that programs with unusual behaviour end as they would without tare.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <string>

#include "measure/run/process.h"
#include "test_programs.h"

namespace tare::run {
namespace {

class HostileProgram : public testing::TestWithParam<const char*> {};

TEST_P(HostileProgram, EndsAndPrintsAsItDoesWithoutUs) {
  ExpectAsWithoutUs(GetParam(), Captured());
}

INSTANTIATE_TEST_SUITE_P(
    All, HostileProgram,
    testing::Values("endings abort", "endings null", "endings kill-group", "children short 200",
                    "children vfork", "children chain 20", "children orphans 50",
                    "threads many 200", "threads main-leaves 6", "descriptors flood 3000000",
                    "limits no-files", "limits no-bytes", "limits little-space", "limits chroot",
                    "limits setuid", "limits seccomp", "signals storm 20", "signals profile 5",
                    "signals ignore", "signals job-control", "control_flow longjmp 1000",
                    "control_flow contexts 1000", "control_flow recursion 1000000",
                    "control_flow dlopen 100", "control_flow self-modifying 1000", "count_loops",
                    "memory_walk", "branches", "calls", "system_calls"),
    [](const auto& instance) {
      std::string name = instance.param;
      std::ranges::replace_if(name, [](char c) { return c == ' ' || c == '-'; }, '_');
      return name;
    });

TEST(Ended, EveryExitStatusArrives) {
  for (int status = 0; status < 256; ++status) {
    const auto ended = RunIt(fmt::format("endings exit {}", status)).ended;
    EXPECT_EQ(ended.how, Ended::How::kExited);
    EXPECT_EQ(ended.exit_status, status);
    EXPECT_EQ(ended.ShellStatus(), status);
  }
}

TEST(Ended, EveryFatalSignalArrives) {
  for (int signal = 1; signal < 32; ++signal) {
    const bool harmless =
        signal == SIGCHLD || signal == SIGCONT || signal == SIGURG || signal == SIGWINCH;
    const bool stops =
        signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
    if (harmless || stops) continue;
    const auto ended = RunIt(fmt::format("endings signal {}", signal)).ended;
    EXPECT_EQ(ended.how, Ended::How::kSignalled) << signal;
    EXPECT_EQ(ended.signal, signal);
    EXPECT_EQ(ended.ShellStatus(), 128 + signal);
  }
}

TEST(Supervisor, CanBeKilledByTheProgram) {
  const auto before = Leftovers::Now();
  const auto finished = RunIt("endings kill-parents-group 42");
  EXPECT_EQ(finished.ended.how, Ended::How::kExited);
  EXPECT_EQ(finished.ended.exit_status, 42);
  EXPECT_GE(finished.wall_seconds, 0.05);
  ASSERT_EQ(finished.caveats.size(), 1U);
  EXPECT_EQ(finished.caveats.front().key, CaveatId::kParentKilled);
  EXPECT_EQ(Leftovers::Now(), before);
}

TEST(Supervisor, CanBeStoppedByTheProgram) {
  const auto before = Leftovers::Now();
  const auto finished = RunIt("endings stop-parents-group 43");
  EXPECT_EQ(finished.ended.exit_status, 43);
  EXPECT_EQ(finished.caveats.size(), 0U);
  EXPECT_EQ(Leftovers::Now(), before);
}

TEST(Supervisor, WhenItIsKilledATimeoutStillWorks) {
  Setting setting = Captured();
  setting.timeout_seconds = 0.3;
  Hooks hooks;
  hooks.in_program = [] { ::kill(::getppid(), SIGKILL); };
  const auto finished = RunIt("endings hang", setting, hooks);
  EXPECT_EQ(finished.ended.how, Ended::How::kTimedOut);
  EXPECT_EQ(finished.ended.signal, SIGTERM);
}

TEST(Ourselves, KilledWeLeaveTheProgramUnharmed) { ExpectToOutliveUs(Captured()); }

TEST(Ourselves, KilledBeforeTheStartWeLeaveNothing) {
  const TemporaryDirectory directory;
  const pid_t child = ::fork();
  if (child == 0) {
    Hooks hooks;
    hooks.before_exec = [&](pid_t program) -> Result<void> {
      directory.Write("pid", std::to_string(program));
      ::kill(::getpid(), SIGKILL);
      return {};
    };
    const auto finished = RunProgram(TestProgram("descriptors close-all " + directory.Path("made")),
                                     Captured(), hooks);
    ::_exit(finished ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(EndsSoon(std::stoi(directory.Read("pid"))));
  EXPECT_FALSE(std::filesystem::exists(directory.Path("made")));
}

TEST(Daemon, IsLeftAlone) {
  const TemporaryDirectory directory;
  const auto before = Leftovers::Now();
  const auto finished = RunIt("children daemon 2000 " + directory.Path("note"));
  EXPECT_EQ(finished.ended.exit_status, 0);
  EXPECT_EQ(directory.Read("note"), "") << "the run waited for the daemon";
  EXPECT_EQ(Leftovers::Now(), before);
  for (int tries = 0; tries < 6000 && directory.Read("note").empty(); ++tries) ::usleep(10000);
  EXPECT_EQ(directory.Read("note"), "done");
}

TEST(Descriptors, AProgramThatClosesAllOfThemWritesItsOwnFile) {
  const TemporaryDirectory directory;
  const auto finished = RunIt("descriptors close-all " + directory.Path("own"));
  EXPECT_EQ(finished.ended.exit_status, 0);
  EXPECT_EQ(finished.output, "");
  EXPECT_EQ(directory.Read("own"), "own file");
}

}  // namespace
}  // namespace tare::run
