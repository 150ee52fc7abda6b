// start_thread_test.cc: a thread that the system refuses is an error, not an exception.
#include "base/start_thread.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <string>

namespace tare {
namespace {

TEST(StartThread, Runs) {
  std::atomic<bool> ran = false;
  auto thread = StartThread([&] { ran = true; });
  ASSERT_TRUE(thread) << thread.error().message;
  thread->join();
  EXPECT_TRUE(ran);
}

TEST(StartThread, TakesNoSignalsOnDemand) {
  std::atomic<int> blocked = -1;
  std::atomic<int> bus_blocked = -1;
  auto thread = StartThreadWithoutSignals([&] {
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    blocked = ::sigismember(&mask, SIGINT);
    bus_blocked = ::sigismember(&mask, SIGBUS);
  });
  ASSERT_TRUE(thread) << thread.error().message;
  thread->join();
  EXPECT_EQ(blocked, 1);
  EXPECT_EQ(bus_blocked, 0) << "an access to a file that was cut would end this process";
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(::sigismember(&mask, SIGINT), 0) << "the caller's mask is as before";
}

// Sanitizers end a process that has no room for their own memory.
#ifndef TARE_SANITIZED
TEST(StartThread, IsAnErrorWithoutRoomForItsStack) {
  const auto try_it = [] {
    const rlimit none = {1, 1};
    ::setrlimit(RLIMIT_AS, &none);
    // The C library keeps the stacks of some threads that have ended.
    for (int i = 0; i < 100; ++i) {
      auto thread = StartThread([] { ::pause(); });
      if (!thread) ::_exit(thread.error().message.starts_with("cannot start a thread: ") ? 0 : 2);
      thread->detach();
    }
    ::_exit(1);
  };
  GTEST_FLAG_SET(death_test_style, "fast");
  EXPECT_EXIT(try_it(), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace tare
