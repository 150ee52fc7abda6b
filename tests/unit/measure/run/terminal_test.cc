// terminal_test.cc: a program at a terminal has it while it runs, and we have it afterwards.
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

// Runs `work` in a session with a terminal of its own on the standard descriptors. The user types
// `typed` once `prompt` is on the screen. The exit status is what `work` returns.
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
    const auto finished = RunProgram(TestProgram("surroundings"), Setting{});
    return finished && finished->ended.exit_status == 0 && WeHaveTheTerminal() ? 0 : 1;
  });
  if (session.status == -1) GTEST_SKIP() << "no pseudo-terminals here";
  EXPECT_EQ(session.status, 0);
  EXPECT_THAT(session.screen, HasSubstr("has terminal: yes"));
}

TEST(Terminal, IsNotTakenFromAPagerUnlessTheProgramAsks) {
  // The typed line and ^D; the program must read both.
  const auto session = AtTerminal("", "typed\n\x04", [] {
    Setting setting;
    setting.output = Output::kDiscarded;
    ::close(STDOUT_FILENO);
    ::open("/dev/null", O_WRONLY);
    const auto looks = RunProgram(TestProgram("endings exit 0"), setting);
    setting.output = Output::kCaptured;
    const auto around = RunProgram(TestProgram("surroundings"), setting);
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

Setting WithProcessId() {
  Setting setting;
  setting.process_id = 4242;
  return setting;
}

TEST(Terminal, BelongsToAProgramWithAProcessIdOfItsOwnToo) {
  if (const auto can = CanChooseProcessId(); !can) GTEST_SKIP() << can.error().message;
  const auto session = AtTerminal("", "", [] {
    const auto finished = RunProgram(TestProgram("surroundings"), WithProcessId());
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

TEST(Terminal, IsGivenToAProgramWithAProcessIdOfItsOwnWhenItAsks) {
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

}  // namespace
}  // namespace tare::run
