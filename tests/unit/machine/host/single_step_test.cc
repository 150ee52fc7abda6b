// single_step_test.cc: tests single-stepping a child, where the machine allows it.
#include "machine/host/single_step.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>

namespace tare::host {
namespace {

TEST(SingleStep, WorksOrSaysWhyNot) {
  const SingleStep tried = TrySingleStep();
  EXPECT_EQ(tried.works, tried.reason.empty()) << tried.reason;
}

TEST(SingleStep, LeavesNoChildBehind) {
  TrySingleStep();
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace tare::host
