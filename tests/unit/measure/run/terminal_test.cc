// terminal_test.cc: tests that a program has the terminal while it runs, and that tare gets it back
// afterwards.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "measure/run/process.h"
#include "test_programs.h"

namespace tare::run {
namespace {

using testing::HasSubstr;

struct Session {
  int status = -1;
  std::string screen;
};

// Runs `work` in a new session with its own terminal on the standard descriptors. Types `typed`
// once `prompt` is on the screen. The exit status is the result of `work`.
Session AtTerminal(std::string_view prompt, std::string_view typed,
                   const std::function<int()>& work) {
  Session session;
  const int keyboard = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (keyboard < 0 || ::grantpt(keyboard) != 0 || ::unlockpt(keyboard) != 0) return session;
  const std::string name = ::ptsname(keyboard);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    const int terminal = ::open(name.c_str(), O_RDWR);
    ::ioctl(terminal, TIOCSCTTY, 0);
    for (int number = 0; number < 3; ++number) ::dup2(terminal, number);
    if (terminal > 2) ::close(terminal);
    ::_exit(work());
  }
  char buffer[4096];
  ssize_t got = 0;
  do {
    if (!typed.empty() && session.screen.find(prompt) != std::string::npos) {
      EXPECT_EQ(::write(keyboard, typed.data(), typed.size()), static_cast<ssize_t>(typed.size()));
      typed = "";
    }
    got = ::read(keyboard, buffer, sizeof buffer);
    session.screen.append(buffer, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  } while (got > 0);
  ::waitpid(child, &session.status, 0);
  ::close(keyboard);
  return session;
}

bool WeHaveTheTerminal() { return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp(); }

TEST(Terminal, BelongsToTheProgramWhileItRuns) {
  const auto session = AtTerminal("", "", [] {
    const auto finished = RunProgram(TestProgram("environment"), Setting{});
    return finished && finished->ended.exit_status == 0 && WeHaveTheTerminal() ? 0 : 1;
  });
  if (session.status == -1) GTEST_SKIP() << "no pseudo-terminals here";
  EXPECT_EQ(session.status, 0);
  EXPECT_THAT(session.screen, HasSubstr("has terminal: yes"));
}

TEST(Terminal, IsNotTakenFromAPagerUnlessTheProgramReads) {
  // The typed line and ^D; the program must read both.
  const auto session = AtTerminal("", "typed\n\x04", [] {
    Setting setting;
    setting.output = Output::kDiscarded;
    ::close(STDOUT_FILENO);
    ::open("/dev/null", O_WRONLY);
    const auto looks = RunProgram(TestProgram("endings exit 0"), setting);
    setting.output = Output::kCaptured;
    const auto around = RunProgram(TestProgram("environment"), setting);
    const auto reads = RunProgram(TestProgram("descriptors echo"), setting);
    if (!looks || !around || !reads) return 1;
    if (Value(around->output, "has terminal") != "no") return 2;
    if (reads->output != "typed\n") return 3;
    return WeHaveTheTerminal() ? 0 : 4;
  });
  if (session.status == -1) GTEST_SKIP() << "no pseudo-terminals here";
  EXPECT_EQ(session.status, 0) << session.screen;
}

TEST(Terminal, TheInterruptKeyReachesTheProgram) {
  const auto session = AtTerminal("hanging", "\x03", [] {
    const auto finished = RunProgram(TestProgram("endings hang"), Setting{});
    return finished && finished->ended.signal == SIGINT && WeHaveTheTerminal() ? 0 : 1;
  });
  if (session.status == -1) GTEST_SKIP() << "no pseudo-terminals here";
  EXPECT_EQ(session.status, 0);
}

TEST(Terminal, TheSuspendKeyDoesNotHangTheRun) {
  // ^Z, and ^C after it.
  const auto session = AtTerminal("hanging", "\x1a\x03", [] {
    const auto finished = RunProgram(TestProgram("endings hang"), Setting{});
    return finished && finished->ended.signal == SIGINT ? 0 : 1;
  });
  if (session.status == -1) GTEST_SKIP() << "no pseudo-terminals here";
  EXPECT_EQ(session.status, 0);
}

ResolvedProgram OnPath(std::vector<std::string> words) {
  auto resolved = Resolve({std::move(words)});
  EXPECT_TRUE(resolved);
  return resolved ? *resolved : ResolvedProgram{};
}

// Changes the terminal's modes, which only the foreground process group may do.
ResolvedProgram UsesTerminal() { return OnPath({"stty", "-F", "/dev/tty", "sane"}); }

// A program that stays stopped must fail the test instead of hanging it.
Setting WithoutTerminal() {
  Setting setting;
  setting.input.from = Input::From::kNothing;
  setting.output = Output::kCaptured;
  setting.timeout_seconds = 60;
  return setting;
}

bool EndedWell(const Result<Finished>& finished) {
  return finished && finished->ended.how == Ended::How::kExited && finished->ended.exit_status == 0;
}

TEST(Terminal, IsGivenToAProgramThatOpensItItself) {
  const auto session = AtTerminal("", "", [] {
    const auto finished = RunProgram(UsesTerminal(), WithoutTerminal());
    return EndedWell(finished) && WeHaveTheTerminal() ? 0 : 1;
  });
  if (session.status == -1) GTEST_SKIP() << "no pseudo-terminals here";
  EXPECT_EQ(session.status, 0) << session.screen;
}

TEST(Terminal, KeysReachAProgramThatOpensItItself) {
  const auto session = AtTerminal("", "typed\n", [] {
    const auto shell = OnPath({"sh", "-c", "read line < /dev/tty; echo $line"});
    const auto finished = RunProgram(shell, WithoutTerminal());
    return EndedWell(finished) && finished->output == "typed\n" && WeHaveTheTerminal() ? 0 : 1;
  });
  if (session.status == -1) GTEST_SKIP() << "no pseudo-terminals here";
  EXPECT_EQ(session.status, 0) << session.screen;
}

TEST(Terminal, TheInterruptKeyThatEndsAProgramInterruptsTheRun) {
  // Not a child of sh: dash catches SIGINT and may lose it while it starts a child.
  const auto session = AtTerminal("hanging", "\x03", [] {
    const auto shell = OnPath(
        {"sh", "-c", "stty sane < /dev/tty; exec " TARE_TEST_PROGRAMS "/endings hang > /dev/tty"});
    const auto finished = RunProgram(shell, WithoutTerminal());
    return finished && finished->ended.signal == SIGINT && finished->ended.interrupted ? 0 : 1;
  });
  if (session.status == -1) GTEST_SKIP() << "no pseudo-terminals here";
  EXPECT_EQ(session.status, 0) << session.screen;
}

// Runs `work` as a background job of our terminal, as a shell does.
pid_t InBackground(const std::function<int()>& work) {
  const pid_t job = ::fork();
  if (job == 0) {
    ::setpgid(0, 0);
    ::_exit(work());
  }
  ::setpgid(job, job);
  return job;
}

TEST(Terminal, AJobInTheBackgroundStopsUntilItIsInTheForeground) {
  const auto session = AtTerminal("", "", [] {
    const pid_t job = InBackground(
        [] { return EndedWell(RunProgram(UsesTerminal(), WithoutTerminal())) ? 0 : 1; });
    int status = 0;
    ::waitpid(job, &status, WUNTRACED);
    if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTTOU) return 2;
    if (!WeHaveTheTerminal()) return 3;
    ::tcsetpgrp(STDIN_FILENO, job);
    ::kill(-job, SIGCONT);
    ::waitpid(job, &status, WUNTRACED);
    if (status != 0) return 4;
    // The job has got the terminal back from the program.
    return ::tcgetpgrp(STDIN_FILENO) == job ? 0 : 5;
  });
  if (session.status == -1) GTEST_SKIP() << "no pseudo-terminals here";
  EXPECT_EQ(session.status, 0) << session.screen;
}

TEST(Terminal, AJobInTheBackgroundLeavesItAlone) {
  const auto session = AtTerminal("", "", [] {
    const pid_t job = InBackground([] {
      Setting setting = WithoutTerminal();
      setting.input.from = Input::From::kPassed;
      return EndedWell(RunProgram(TestProgram("endings exit 0"), setting)) ? 0 : 1;
    });
    int status = 0;
    ::waitpid(job, &status, WUNTRACED);
    return status == 0 && WeHaveTheTerminal() ? 0 : 1;
  });
  if (session.status == -1) GTEST_SKIP() << "no pseudo-terminals here";
  EXPECT_EQ(session.status, 0) << session.screen;
}

Setting WithProcessId() {
  Setting setting;
  setting.process_id = 4242;
  return setting;
}

TEST(Terminal, BelongsToAProgramWithAProcessIdOfItsOwnToo) {
  if (const auto can = CanChooseProcessId(); !can) GTEST_SKIP() << can.error().message;
  const auto session = AtTerminal("", "", [] {
    const auto finished = RunProgram(TestProgram("environment"), WithProcessId());
    return finished && finished->ended.exit_status == 0 && WeHaveTheTerminal() ? 0 : 1;
  });
  if (session.status == -1) GTEST_SKIP() << "no pseudo-terminals here";
  EXPECT_EQ(session.status, 0);
  EXPECT_THAT(session.screen, HasSubstr("has terminal: yes"));
}

TEST(Terminal, KeysReachAProgramWithAProcessIdOfItsOwn) {
  if (const auto can = CanChooseProcessId(); !can) GTEST_SKIP() << can.error().message;
  // ^Z, and ^C after it.
  const auto session = AtTerminal("hanging", "\x1a\x03", [] {
    const auto finished = RunProgram(TestProgram("endings hang"), WithProcessId());
    return finished && finished->ended.signal == SIGINT && WeHaveTheTerminal() ? 0 : 1;
  });
  if (session.status == -1) GTEST_SKIP() << "no pseudo-terminals here";
  EXPECT_EQ(session.status, 0);
}

TEST(Terminal, IsGivenToAProgramWithAProcessIdOfItsOwnWhenItReads) {
  if (const auto can = CanChooseProcessId(); !can) GTEST_SKIP() << can.error().message;
  const auto session = AtTerminal("", "typed\n\x04", [] {
    Setting setting = WithProcessId();
    setting.output = Output::kCaptured;
    ::close(STDOUT_FILENO);
    ::open("/dev/null", O_WRONLY);
    const auto reads = RunProgram(TestProgram("descriptors echo"), setting);
    return reads && reads->output == "typed\n" && WeHaveTheTerminal() ? 0 : 1;
  });
  if (session.status == -1) GTEST_SKIP() << "no pseudo-terminals here";
  EXPECT_EQ(session.status, 0) << session.screen;
}

TEST(Terminal, IsGivenToAProgramWithAProcessIdOfItsOwnThatOpensIt) {
  if (const auto can = CanChooseProcessId(); !can) GTEST_SKIP() << can.error().message;
  const auto session = AtTerminal("", "", [] {
    Setting setting = WithoutTerminal();
    setting.process_id = 4242;
    return EndedWell(RunProgram(UsesTerminal(), setting)) && WeHaveTheTerminal() ? 0 : 1;
  });
  if (session.status == -1) GTEST_SKIP() << "no pseudo-terminals here";
  EXPECT_EQ(session.status, 0) << session.screen;
}

}  // namespace
}  // namespace tare::run
