// watch_test.cc: tests timeouts and interruptions, with programs that obey or ignore signals.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "measure/run/process.h"
#include "test_programs.h"

namespace tare::run {
namespace {

TEST(Timeout, EndsTheProgramBySigterm) {
  Setting setting = Captured();
  setting.timeout_seconds = 0.2;
  const auto finished = RunIt("endings hang", setting);
  EXPECT_EQ(finished.ended.how, Ended::How::kTimedOut);
  EXPECT_EQ(finished.ended.signal, SIGTERM);
  EXPECT_EQ(finished.ended.ShellStatus(), 124);
  EXPECT_GT(finished.wall_seconds, 0);
}

TEST(Timeout, EndsAStubbornProgramBySigkill) {
  Setting setting = Captured();
  setting.timeout_seconds = 1;  // the signal is ignored by then
  setting.grace_seconds = 0.1;
  Hooks hooks;
  hooks.in_program = [] { ::signal(SIGTERM, SIG_IGN); };
  const auto finished = RunIt("endings hang", setting, hooks);
  EXPECT_EQ(finished.ended.how, Ended::How::kTimedOut);
  EXPECT_EQ(finished.ended.signal, SIGKILL);
}

TEST(Timeout, EndsItsChildrenToo) {
  const TemporaryDirectory directory;
  Setting setting = Captured();
  setting.timeout_seconds = 1;
  RunIt("children hang " + directory.Path("child"), setting);
  const std::string child = directory.Read("child");
  if (child.empty()) GTEST_SKIP() << "the program did not come so far within a second";
  EXPECT_TRUE(EndsSoon(std::stoi(child)));
}

TEST(Timeout, DoesNotTouchWhatEndsInTime) {
  Setting setting = Captured();
  setting.timeout_seconds = 600;
  const auto finished = RunIt("endings exit 4", setting);
  EXPECT_EQ(finished.ended.how, Ended::How::kExited);
  EXPECT_EQ(finished.ended.exit_status, 4);
}

TEST(Interruption, IsForwardedAsSigint) {
  Hooks hooks;
  hooks.interrupted = [] { return true; };
  const auto finished = RunIt("endings hang", Captured(), hooks);
  EXPECT_TRUE(finished.ended.interrupted);
  EXPECT_EQ(finished.ended.how, Ended::How::kSignalled);
  EXPECT_EQ(finished.ended.signal, SIGINT);
  EXPECT_EQ(finished.ended.ShellStatus(), 130);
}

std::atomic<bool> signalled = false;

TEST(Interruption, ASignalDuringTheRunIsSeen) {
  signalled = false;
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = [](int) { signalled = true; };
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGUSR2, &action, &before);
  Hooks hooks;
  hooks.before_exec = [](pid_t) -> Result<void> {
    ::kill(::getpid(), SIGUSR2);
    return {};
  };
  hooks.interrupted = [] { return signalled.load(); };
  const auto finished = RunIt("endings hang", Captured(), hooks);
  ::sigaction(SIGUSR2, &before, nullptr);
  EXPECT_TRUE(finished.ended.interrupted);
  EXPECT_EQ(finished.ended.signal, SIGINT);
}

TEST(Interruption, DoesNotStopAtASigintThatIsIgnored) {
  Setting setting = Captured();
  setting.grace_seconds = 0.1;
  int ignored[2];
  ASSERT_EQ(::pipe2(ignored, O_NONBLOCK), 0);
  Hooks hooks;
  hooks.in_program = [&ignored] {
    ::signal(SIGINT, SIG_IGN);
    (void)!::write(ignored[1], "x", 1);
  };
  bool is_ignored = false;
  hooks.interrupted = [&] {
    char byte = 0;
    is_ignored = is_ignored || ::read(ignored[0], &byte, 1) == 1;
    return is_ignored;
  };
  EXPECT_EQ(RunIt("endings hang", setting, hooks).ended.signal, SIGTERM);
  for (const int end : ignored) ::close(end);
}

}  // namespace
}  // namespace tare::run
