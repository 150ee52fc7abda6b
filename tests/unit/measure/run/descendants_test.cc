// descendants_test.cc: tests that a program's remaining descendants are found and ended, in any
// session.
#include "measure/run/descendants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "test_programs.h"

namespace tare::run {
namespace {

// A child of this process that has a child in its own session; both wait.
struct Family {
  pid_t child = 0;
  pid_t grandchild = 0;

  static Family Make() {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    Family family;
    family.child = ::fork();
    if (family.child == 0) {
      const pid_t own = ::fork();
      if (own == 0) {
        ::setsid();
        for (;;) ::pause();
      }
      const bool sent = ::write(ends[1], &own, sizeof own) == sizeof own;
      if (!sent) ::_exit(1);
      for (;;) ::pause();
    }
    EXPECT_EQ(::read(ends[0], &family.grandchild, sizeof family.grandchild),
              static_cast<ssize_t>(sizeof family.grandchild));
    ::close(ends[0]);
    ::close(ends[1]);
    return family;
  }
};

TEST(Descendants, AreFoundInOtherSessionsToo) {
  const Family family = Family::Make();
  EXPECT_THAT(DescendantsOf(family.child), testing::ElementsAre(family.grandchild));
  EXPECT_THAT(DescendantsOf(::getpid()), testing::Contains(family.grandchild));
  EndDescendants(family.child, {});
  EXPECT_TRUE(EndsSoon(family.grandchild));
  EXPECT_EQ(::kill(family.child, 0), 0);
  ::kill(family.child, SIGKILL);
  ::waitpid(family.child, nullptr, 0);
}

TEST(Descendants, ThoseThatAreSparedLiveOn) {
  const Family family = Family::Make();
  const std::vector<pid_t> spared = {family.child};
  EndDescendants(::getpid(), spared);
  EXPECT_EQ(::kill(family.child, 0), 0);
  EXPECT_EQ(::kill(family.grandchild, 0), 0);
  EndDescendants(family.child, {});
  ::kill(family.child, SIGKILL);
  ::waitpid(family.child, nullptr, 0);
}

// The descendant in its own session prints its PID.
constexpr const char* kLeaves = "setsid sh -c 'echo $$; exec sleep 1000' & sleep 1000";

pid_t NumberIn(const std::string& text) { return text.empty() ? 0 : std::atoi(text.c_str()); }

TEST(Timeout, EndsDescendantsInOtherSessionsOnRequest) {
  const auto shell = Resolve({{"/bin/sh", "-c", kLeaves}});
  ASSERT_TRUE(shell);
  for (const bool all : {false, true}) {
    Setting setting = Captured();
    // Long enough for the shell to start it on a busy machine.
    setting.timeout_seconds = 5;
    setting.timeout_ends_descendants = all;
    const auto finished = RunProgram(*shell, setting);
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->ended.how, Ended::How::kTimedOut);
    const pid_t left = NumberIn(finished->output);
    ASSERT_GT(left, 0);
    if (all) {
      EXPECT_TRUE(EndsSoon(left));
    } else {
      EXPECT_EQ(::kill(left, SIGKILL), 0);
    }
  }
}

}  // namespace
}  // namespace tare::run
