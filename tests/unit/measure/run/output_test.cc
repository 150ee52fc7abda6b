// output_test.cc: discarded output that programs do not notice, and hashes of output.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "measure/run/process.h"
#include "test_programs.h"

namespace tare::run {
namespace {

Finished RunShell(const std::string& text, const Setting& setting) {
  const auto program = Resolve({{"/bin/sh", "-c", text}});
  EXPECT_TRUE(program);
  auto finished = RunProgram(*program, setting);
  EXPECT_TRUE(finished) << (finished ? "" : finished.error().message);
  return finished ? *finished : Finished{};
}

TEST(DiscardedOutput, IsNotTheNullDevice) {
  const Setting setting = WithDiscardedOutput(Captured());
  EXPECT_EQ(RunShell("test /proc/self/fd/1 -ef /dev/null", setting).ended.exit_status, 1);
  EXPECT_EQ(RunShell("test /proc/self/fd/2 -ef /dev/null", setting).ended.exit_status, 1);
  EXPECT_EQ(RunShell("head -c 1000000 /dev/zero", setting).ended.exit_status, 0);
  EXPECT_EQ(RunShell("test -t 1", setting).ended.exit_status, 1);
}

TEST(DigestedOutput, IsEqualForEqualOutputOnly) {
  const Setting setting = WithDigestedOutput(Captured());
  const auto one = RunShell("seq 100000; echo error >&2", setting);
  const auto same = RunShell("sleep 0.05; seq 50000; seq 50001 100000", setting);
  const auto other = RunShell("seq 100000 | tr 7 8", setting);
  ASSERT_TRUE(one.output_digest && same.output_digest && other.output_digest);
  EXPECT_EQ(one.output_digest->bytes, 588895U);
  EXPECT_EQ(*one.output_digest, *same.output_digest);
  EXPECT_EQ(other.output_digest->bytes, 588895U);
  EXPECT_NE(*one.output_digest, *other.output_digest);
  EXPECT_EQ(one.output, "");
}

TEST(DigestedOutput, OfNothingIsEmpty) {
  const auto finished = RunShell("exit 3", WithDigestedOutput(Captured()));
  EXPECT_EQ(finished.ended.exit_status, 3);
  ASSERT_TRUE(finished.output_digest);
  EXPECT_EQ(finished.output_digest->bytes, 0U);
}

TEST(DigestedOutput, MoreThanAPipeHoldsDoesNotBlock) {
  const auto finished = RunShell("head -c 8000000 /dev/zero", WithDigestedOutput(Captured()));
  EXPECT_EQ(finished.ended.exit_status, 0);
  ASSERT_TRUE(finished.output_digest);
  EXPECT_EQ(finished.output_digest->bytes, 8000000U);
}

TEST(DigestedOutput, DescendantsThatKeepThePipeAreNotWaitedForNorEnded) {
  const TemporaryDirectory directory;
  const std::string made = directory.Path("made");
  const auto finished = RunShell("echo one; { sleep 3; echo two; echo three; : > " + made + "; } &",
                                 WithDigestedOutput(Captured()));
  ASSERT_TRUE(finished.output_digest);
  EXPECT_EQ(finished.output_digest->bytes, 4U);
  for (int i = 0; i < 1000 && !std::filesystem::exists(made); ++i) ::usleep(20'000);
  EXPECT_TRUE(std::filesystem::exists(made));
}

}  // namespace
}  // namespace tare::run
