// signal_text_test.cc: tests that signals are named by their standard names.
#include "base/signal_text.h"

#include <gtest/gtest.h>

#include <csignal>

namespace tare {
namespace {

TEST(SignalText, NamesWhatHasAName) {
  EXPECT_EQ(SignalText(SIGSEGV), "signal 11 (SIGSEGV)");
  EXPECT_EQ(SignalText(SIGKILL), "signal 9 (SIGKILL)");
}

TEST(SignalText, HasTheNumberAloneOtherwise) {
  EXPECT_EQ(SignalText(SIGRTMIN + 6), "signal 40");
  EXPECT_EQ(SignalText(1000), "signal 1000");
}

}  // namespace
}  // namespace tare
