// wrap_test.cc: tests line breaking by display width.
#include "report/wrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/printable.h"

namespace tare::report {
namespace {

using ::testing::ElementsAre;

TEST(Wrap, BreaksAtBlanks) {
  EXPECT_THAT(Wrap("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(Wrap("one  two", 4), ElementsAre("one", "two"));
  EXPECT_THAT(Wrap("fits", 4), ElementsAre("fits"));
}

TEST(Wrap, GivesOneLineForNothing) { EXPECT_THAT(Wrap("", 5), ElementsAre("")); }

TEST(Wrap, BreaksWordsThatAreLongerThanALine) {
  EXPECT_THAT(Wrap("abcdefgh", 3), ElementsAre("abc", "def", "gh"));
  EXPECT_THAT(Wrap("ab", 1), ElementsAre("a", "b"));
  EXPECT_THAT(Wrap("ab", 0), ElementsAre("a", "b"));
}

TEST(Wrap, BreaksLongNamesAfterPunctuation) {
  EXPECT_THAT(Wrap("clock_gettime(MONOTONIC)", 16), ElementsAre("clock_gettime(", "MONOTONIC)"));
}

TEST(Wrap, CountsColumnsAndNotBytes) {
  EXPECT_THAT(Wrap("µµµµ", 2), ElementsAre("µµ", "µµ"));
  EXPECT_THAT(Wrap("漢字漢", 4), ElementsAre("漢字", "漢"));
  // A wide character stays on a line that is too narrow for it.
  EXPECT_THAT(Wrap("漢字", 1), ElementsAre("漢", "字"));
}

TEST(Wrap, SetsGuidesBeforeTheLines) {
  EXPECT_THAT(Wrap("one two three", 8, "- ", "   "), ElementsAre("- one", "   two", "   three"));
}

TEST(Wrap, TakesAMegabyte) {
  const std::string text(1 << 20, 'x');
  const auto lines = Wrap(text, 80);
  EXPECT_EQ(lines.size(), (text.size() + 79) / 80);
}

TEST(LongestWord, IsMeasuredInColumns) {
  EXPECT_EQ(LongestWord("a µµµ bb"), 3u);
  EXPECT_EQ(LongestWord(""), 0u);
}

TEST(Pad, FillsUpToTheWidth) {
  EXPECT_EQ(PadRight("µ", 3), "µ  ");
  EXPECT_EQ(PadLeft("µ", 3), "  µ");
  EXPECT_EQ(PadLeft("long", 3), "long");
}

TEST(Cut, SaysThatSomethingIsMissing) {
  EXPECT_EQ(Cut("abcdef", 4), "abc…");
  EXPECT_EQ(Cut("abcd", 4), "abcd");
  EXPECT_EQ(Cut("漢字漢", 4), "漢…");
}

}  // namespace
}  // namespace tare::report
