// result_test.cc: tests that errors propagate and that their kind decides the exit status.
#include "base/result.h"

#include <gtest/gtest.h>

#include "base/check.h"

namespace tare {
namespace {

Result<int> Half(int number) {
  if (number % 2 != 0) return Fail(ErrorKind::kFormat, "odd");
  return number / 2;
}

Result<int> Quarter(int number) {
  TRY(const int half, Half(number));
  TRY_VOID(Half(half));
  return half / 2;
}

TEST(Try, PropagatesTheValueOrTheError) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).error().message, "odd");
  EXPECT_EQ(Quarter(3).error().kind, ErrorKind::kFormat);
}

TEST(ExitStatus, FollowsTheConvention) {
  EXPECT_EQ(ExitStatus(ErrorKind::kUsage), 2);
  EXPECT_EQ(ExitStatus(ErrorKind::kIo), 125);
  EXPECT_EQ(ExitStatus(ErrorKind::kFormat), 125);
  EXPECT_EQ(ExitStatus(ErrorKind::kUnsupported), 125);
  EXPECT_EQ(ExitStatus(ErrorKind::kCannotExecute), 126);
  EXPECT_EQ(ExitStatus(ErrorKind::kNotFound), 127);
  EXPECT_EQ(ExitStatus(ErrorKind::kInterrupted), 130);
}

TEST(CheckDeathTest, NamesTheConditionAndThePlace) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(CHECK(1 + 1 == 3), "check failed: 1 \\+ 1 == 3 at .*result_test.cc");
}

}  // namespace
}  // namespace tare
