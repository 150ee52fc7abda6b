// command_words_test.cc: tests of command_words.h.
#include "analysis/compare/command_words.h"

#include <gtest/gtest.h>

namespace tare::compare {
namespace {

using Words = std::vector<std::string>;

TEST(SplitCommand, SplitsAtBlanksAndKeepsQuotations) {
  EXPECT_EQ(*SplitCommand("  sort -k 2  file "), (Words{"sort", "-k", "2", "file"}));
  EXPECT_EQ(*SplitCommand("echo 'a b' \"c d\" e\\ f"), (Words{"echo", "a b", "c d", "e f"}));
  EXPECT_EQ(*SplitCommand("p '' \"\""), (Words{"p", "", ""}));
  EXPECT_EQ(*SplitCommand("p a'b c'd"), (Words{"p", "ab cd"}));
  EXPECT_EQ(*SplitCommand("p \"a \\\" \\n\" '$x|y'"), (Words{"p", "a \" \\n", "$x|y"}));
}

TEST(SplitCommand, RefusesWhatOnlyAShellUnderstands) {
  for (const char* command : {"a | b", "a > f", "a; b", "a && b", "echo $HOME", "ls *.c"}) {
    const auto words = SplitCommand(command);
    ASSERT_FALSE(words) << command;
    EXPECT_TRUE(words.error().message.contains("--shell")) << words.error().message;
  }
}

TEST(SplitCommand, RefusesOpenQuotationsAndNothing) {
  EXPECT_FALSE(SplitCommand("echo 'a"));
  EXPECT_FALSE(SplitCommand("echo \"a"));
  EXPECT_FALSE(SplitCommand("   "));
}

TEST(WithParameter, ReplacesEveryOccurrence) {
  const Parameter parameter = *ParseParameter("n", "1,22");
  EXPECT_EQ(*WithParameter({"a {n} x{n}", "b"}, parameter), (Words{"a 1 x1", "a 22 x22", "b"}));
  EXPECT_FALSE(WithParameter({"a"}, parameter));
  EXPECT_FALSE(ParseParameter("n", ","));
  EXPECT_FALSE(ParseParameter("", "1"));
}

}  // namespace
}  // namespace tare::compare
