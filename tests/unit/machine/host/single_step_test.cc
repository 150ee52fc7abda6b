// single_step_test.cc: tests single-stepping a child, where the machine allows it.
#include "machine/host/single_step.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

namespace tare::host {
namespace {

void EndChildren() {
  std::ifstream children("/proc/thread-self/children");
  for (pid_t child = 0; children >> child;) ::kill(child, SIGKILL);
  while (::waitpid(-1, nullptr, __WALL) > 0) continue;
}

TEST(SingleStep, WorksOrSaysWhyNot) {
  const SingleStep tried = TrySingleStep();
  EXPECT_EQ(tried.works, tried.reason.empty()) << tried.reason;
}

TEST(SingleStep, LeavesNoChildBehind) {
  TrySingleStep();
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

// The processes that are left when one that single-steps again and again is killed come to this
// process, a subreaper. Their end is awaited with a limit, since such a process would run forever.
TEST(SingleStep, TheChildOfAKilledProcessEnds) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
  for (int i = 0; i < 20; ++i) {
    const pid_t killed = ::fork();
    ASSERT_GE(killed, 0);
    if (killed == 0) {
      for (;;) TrySingleStep();
    }
    ::usleep(static_cast<useconds_t>(5000 + 500 * i));
    ::kill(killed, SIGKILL);
    pid_t ended = 0;
    for (int look = 0; look < 1000 && ended >= 0; ++look) {
      ended = ::waitpid(-1, nullptr, WNOHANG | __WALL);
      if (ended == 0) ::usleep(10'000);
    }
    if (ended == 0) EndChildren();
    ASSERT_EQ(ended, -1) << "a process is left";
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0UL);
}

}  // namespace
}  // namespace tare::host
