// shell_words_test.cc: what a shell would split again into the same words.
#include "base/shell_words.h"

#include <gtest/gtest.h>

#include <array>

namespace tare {
namespace {

TEST(ShellQuoted, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(ShellQuoted("./sort"), "./sort");
  EXPECT_EQ(ShellQuoted("--key=2,3"), "--key=2,3");
}

TEST(ShellQuoted, WordsThatAShellWouldChangeAreQuoted) {
  EXPECT_EQ(ShellQuoted(""), "''");
  EXPECT_EQ(ShellQuoted("a b"), "'a b'");
  EXPECT_EQ(ShellQuoted("$HOME"), "'$HOME'");
  EXPECT_EQ(ShellQuoted("it's"), "'it'\\''s'");
}

TEST(ShellLine, JoinsTheWords) {
  const std::array<std::string, 3> words = {"sort", "-t", " "};
  EXPECT_EQ(ShellLine(words), "sort -t ' '");
  const std::array<std::string, 2> named = {"A=b", "C=d"};
  EXPECT_EQ(ShellLine(named), "'A=b' C=d");
  EXPECT_EQ(ShellLine({}), "");
}

}  // namespace
}  // namespace tare
