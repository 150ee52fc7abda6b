// stop_test.cc: tests that signals stop work with their own exit status.
#include "base/stop.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

namespace tare {
namespace {

// 1 if the signal was not kept.
[[noreturn]] void EndAfter(int signal) {
  WatchForStop();
  ::raise(signal);
  ::exit(IsStopAsked() ? StopStatus() : 1);
}

TEST(Stop, TheStatusIsThatOfTheSignal) {
  EXPECT_EQ(StopStatus(), 130);
  EXPECT_FALSE(IsStopAsked());
  EXPECT_EXIT(EndAfter(SIGINT), testing::ExitedWithCode(130), "");
  EXPECT_EXIT(EndAfter(SIGTERM), testing::ExitedWithCode(143), "");
  EXPECT_EXIT(EndAfter(SIGHUP), testing::ExitedWithCode(129), "");
  EXPECT_EXIT(EndAfter(SIGQUIT), testing::ExitedWithCode(131), "");
}

TEST(Stop, AnIgnoredHangupStaysIgnored) {
  const auto ignored = [] {
    ::signal(SIGHUP, SIG_IGN);
    EndAfter(SIGHUP);
  };
  EXPECT_EXIT(ignored(), testing::ExitedWithCode(1), "");
}

TEST(Stop, ASecondSignalMuchLaterEndsTheProcess) {
  const auto twice = [](int signal) {
    WatchForStop();
    ::raise(signal);
    ::usleep(1'100'000);
    ::raise(signal);
  };
  EXPECT_EXIT(twice(SIGINT), testing::KilledBySignal(SIGINT), "");
  EXPECT_EXIT(twice(SIGTERM), testing::KilledBySignal(SIGTERM), "");
}

TEST(Stop, SignalsAtOnceAreOneRequest) {
  const auto twice = [](int first, int second) {
    WatchForStop();
    ::raise(first);
    EndAfter(second);
  };
  EXPECT_EXIT(twice(SIGINT, SIGINT), testing::ExitedWithCode(130), "");
  EXPECT_EXIT(twice(SIGTERM, SIGTERM), testing::ExitedWithCode(143), "");
  EXPECT_EXIT(twice(SIGINT, SIGTERM), testing::ExitedWithCode(130), "");
}

TEST(Stop, TheSentenceSaysWhatWasSaved) {
  EXPECT_EQ(Stopped().error().kind, ErrorKind::kInterrupted);
  EXPECT_EQ(Stopped().error().message, "stopped by the user");
  EXPECT_EQ(Stopped("nothing was measured").error().message,
            "stopped by the user; nothing was measured");
}

}  // namespace
}  // namespace tare
