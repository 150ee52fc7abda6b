// process_id_test.cc: tests running a program with a chosen PID in its own PID namespace.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "measure/run/process.h"
#include "test_programs.h"

namespace tare::run {
namespace {

using testing::HasSubstr;

Setting Numbered(pid_t number) {
  Setting setting = Captured();
  setting.process_id = number;
  return setting;
}

std::set<std::string> Mounts() {
  std::ifstream file("/proc/self/mounts");
  std::set<std::string> mounts;
  for (std::string line; std::getline(file, line);) mounts.insert(line);
  return mounts;
}

// Another test may have mounts of its own for a while.
bool SoonHasNoMountsBut(const std::set<std::string>& mounts) {
  for (int tries = 0; tries < 3000; ++tries, ::usleep(10'000)) {
    if (std::ranges::includes(mounts, Mounts())) return true;
  }
  return false;
}

pid_t ParentOf(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("PPid:")) return std::stoi(line.substr(5));
  }
  return 0;
}

class ProcessId : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto can = CanChooseProcessId(); !can) GTEST_SKIP() << can.error().message;
  }
};

TEST_F(ProcessId, IsTheRequestedOne) {
  for (const pid_t number : {2, 3, 300, 12345, 32000}) {
    const auto finished = RunIt("where", Numbered(number));
    EXPECT_EQ(Value(finished.output, "process"), std::to_string(number));
    EXPECT_EQ(Value(finished.output, "process in /proc"), std::to_string(number));
    EXPECT_EQ(Value(finished.output, "parent"), "1");
    EXPECT_EQ(finished.caveats.size(), 0U);
  }
}

TEST_F(ProcessId, ChildrenAreNumberedAlikeInEveryRun) {
  const auto shell = Resolve({{"/bin/sh", "-c", "true & echo $!; true & echo $!; wait"}});
  ASSERT_TRUE(shell);
  const auto first = RunProgram(*shell, Numbered(500));
  const auto second = RunProgram(*shell, Numbered(500));
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->output.empty());
  EXPECT_EQ(first->output, second->output);
}

TEST_F(ProcessId, TheHookSeesTheNumberOutside) {
  Hooks hooks;
  pid_t seen = 0;
  bool right = false;
  hooks.before_exec = [&](pid_t program) -> Result<void> {
    seen = program;
    std::ifstream file(fmt::format("/proc/{}/status", program));
    for (std::string line; std::getline(file, line);) {
      right =
          right || (line.starts_with("NSpid:") && line.ends_with(fmt::format("{}\t7777", program)));
    }
    return {};
  };
  EXPECT_EQ(RunIt("endings exit 4", Numbered(7777), hooks).ended.exit_status, 4);
  EXPECT_TRUE(right) << seen;
}

class NumberedProgram : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const auto can = CanChooseProcessId(); !can) GTEST_SKIP() << can.error().message;
  }
};

TEST_P(NumberedProgram, EndsAndPrintsAsItDoesWithoutUs) {
  ExpectAsWithoutUs(GetParam(), Numbered(4321));
}

INSTANTIATE_TEST_SUITE_P(
    All, NumberedProgram,
    testing::Values("endings exit 42", "endings abort", "endings null", "endings kill-group",
                    "endings signal 9", "children short 200", "children vfork", "children chain 20",
                    "children orphans 50", "threads many 200", "threads main-leaves 6",
                    "limits no-files", "limits chroot", "limits setuid", "limits seccomp",
                    "signals storm 20", "signals ignore", "control_flow dlopen 100", "count_loops"),
    [](const auto& instance) {
      std::string name = instance.param;
      std::ranges::replace_if(name, [](char c) { return c == ' ' || c == '-'; }, '_');
      return name;
    });

TEST_F(ProcessId, ItsParentCannotBeHarmed) {
  EXPECT_EQ(RunIt("endings kill-parents-group 42", Numbered(99)).ended.exit_status, 42);
  EXPECT_EQ(RunIt("endings stop-parents-group 43", Numbered(99)).ended.exit_status, 43);
}

TEST_F(ProcessId, EveryFatalSignalArrives) {
  for (const int signal : {SIGINT, SIGTERM, SIGSEGV, SIGPIPE, SIGHUP, SIGUSR1}) {
    EXPECT_EQ(RunIt(fmt::format("endings signal {}", signal), Numbered(99)).ended.signal, signal);
  }
}

TEST_F(ProcessId, TimeoutsAndInterruptionsReachIt) {
  Setting setting = Numbered(99);
  setting.timeout_seconds = 0.2;
  setting.grace_seconds = 0.2;
  const auto polite = RunIt("endings hang", setting).ended;
  EXPECT_EQ(polite.how, Ended::How::kTimedOut);
  EXPECT_EQ(polite.signal, SIGTERM);
  setting.timeout_seconds = 2;  // a slow machine has not yet ignored SIGTERM after 0.2 s
  EXPECT_EQ(RunIt("endings hang-stubbornly", setting).ended.signal, SIGKILL);
  setting.timeout_seconds.reset();
  Hooks hooks;
  hooks.interrupted = [] { return true; };
  const auto interrupted = RunIt("endings hang", setting, hooks).ended;
  EXPECT_TRUE(interrupted.interrupted);
  EXPECT_EQ(interrupted.signal, SIGINT);
}

TEST_F(ProcessId, ADaemonIsLeftAlone) {
  const TemporaryDirectory directory;
  const auto before = Leftovers::Now();
  const auto finished = RunIt("children daemon 2000 " + directory.Path("note"), Numbered(99));
  EXPECT_EQ(finished.ended.exit_status, 0);
  EXPECT_EQ(directory.Read("note"), "") << "the run waited for the daemon";
  EXPECT_EQ(Leftovers::Now(), before);
  for (int tries = 0; tries < 6000 && directory.Read("note").empty(); ++tries) ::usleep(10000);
  EXPECT_EQ(directory.Read("note"), "done");
}

TEST_F(ProcessId, AKilledProcessOneIsAnErrorAndNoHang) {
  const auto before = Leftovers::Now();
  Hooks hooks;
  hooks.before_exec = [](pid_t program) -> Result<void> {
    ::kill(ParentOf(program), SIGKILL);
    return {};
  };
  const auto finished = RunProgram(TestProgram("endings hang"), Numbered(99), hooks);
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(Leftovers::Now(), before);
}

TEST_F(ProcessId, WhenAHookForbidsTheRunNothingIsLeft) {
  const auto before = Leftovers::Now();
  pid_t created = 0;
  Hooks hooks;
  hooks.before_exec = [&created](pid_t program) -> Result<void> {
    created = program;
    return Fail(ErrorKind::kIo, "no");
  };
  EXPECT_FALSE(RunProgram(TestProgram("endings hang"), Numbered(99), hooks));
  EXPECT_TRUE(EndsSoon(created));
  EXPECT_EQ(Leftovers::Now(), before);
}

TEST_F(ProcessId, WhenWeAreKilledTheProgramRunsOn) { ExpectToOutliveUs(Numbered(99)); }

TEST_F(ProcessId, UseAndTimeAreTheProgramsOwn) {
  Setting setting = Numbered(99);
  setting.huge_pages = false;  // one fault of a huge page is as much memory as 512 others
  const auto finished = RunIt("control_flow recursion 1000000", setting);
  EXPECT_EQ(finished.ended.exit_status, 0);
  EXPECT_GT(finished.use.minor_faults, 1000U);
  EXPECT_GT(finished.wall_seconds, 0);
}

TEST_F(ProcessId, FiftyRunsLeaveNoProcessAndNoMount) {
  const auto mounts = Mounts();
  const auto before = Leftovers::Now();
  std::vector<pid_t> seen;
  Hooks hooks;
  hooks.before_exec = [&seen](pid_t program) -> Result<void> {
    seen.push_back(program);
    seen.push_back(ParentOf(program));
    return {};
  };
  Setting setting = Numbered(1234);
  setting.cwd_length = 200;
  setting.layout = {.stack_bytes = 64, .heap_bytes = 64};
  if (!CanMoveLayout()) setting.layout = {};
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(RunIt("children orphans 5", setting, hooks).ended.exit_status, 0);
  }
  ASSERT_EQ(seen.size(), 100U);
  for (const pid_t process : seen) EXPECT_TRUE(EndsSoon(process)) << process;
  EXPECT_TRUE(SoonHasNoMountsBut(mounts));
  EXPECT_EQ(Leftovers::Now(), before);
}

// As another user, whose only privileges are those that a user namespace gives.
TEST_F(ProcessId, CanBeHadWithoutRightsWhereUsersHaveNamespaces) {
  if (::geteuid() != 0) GTEST_SKIP() << "this is an ordinary user already";
  constexpr int kNotHere = 77;
  constexpr uid_t kNobody = 65534;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(kNotHere);
    // Changing the user ID clears the dumpable flag, which makes /proc/self inaccessible
    // (prctl(2)).
    ::prctl(PR_SET_DUMPABLE, 1UL, 0UL, 0UL, 0UL);
    if (!CanChooseProcessId() || !CanLengthenDirectory() || !CanMoveLayout()) ::_exit(kNotHere);
    Setting setting = Numbered(555);
    setting.directory = "/";
    setting.cwd_length = 100;
    setting.layout = {.stack_bytes = 32};
    const auto finished = RunProgram(TestProgram("where"), setting);
    if (!finished) ::_exit(1);
    if (Value(finished->output, "process") != "555") ::_exit(2);
    if (Value(finished->output, "process in /proc") != "555") ::_exit(3);
    if (Value(finished->output, "directory").size() != 100) ::_exit(4);
    ::_exit(Value(finished->output, "user") == std::to_string(kNobody) ? 0 : 5);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == kNotHere) GTEST_SKIP() << "users have no namespaces here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace tare::run
