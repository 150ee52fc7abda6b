// disturbance_test.cc: tests that disturbing processes are started and stopped.
#include "analysis/why/disturbance.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace tare::why {
namespace {

TEST(Neighbours, AreGoneWhenTheyAreNotWantedAnyMore) {
  {
    const auto neighbours = Neighbours::Start(2);
    ASSERT_TRUE(neighbours) << neighbours.error().message;
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), 0);  // there are children, and none has exited
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(FilesOf, AreTheProgramItsInputAndItsArguments) {
  run::ResolvedProgram program;
  program.path = "/bin/cat";
  program.arguments = {"cat", "/etc/passwd", "-n", "/no/such/file", "/etc"};
  run::Setting setting;
  setting.input = {run::Input::From::kFile, "/etc/hostname"};
  const std::vector<std::filesystem::path> wanted = {"/bin/cat", "/etc/hostname", "/etc/passwd"};
  EXPECT_EQ(FilesOf(program, setting), wanted);
}

TEST(Forget, PassesOverWhatIsNotThere) { Forget({"/no/such/file", "/bin/true"}); }

}  // namespace
}  // namespace tare::why
