// wrap_test.cc: lines that fit.
#include "base/wrap.h"

#include <gmock/gmock.h>

namespace tare {
namespace {

using testing::ElementsAre;

TEST(Wrap, BreaksBetweenWords) { EXPECT_THAT(Wrap("aa bb cc", 5), ElementsAre("aa bb", "cc")); }

TEST(Wrap, ParagraphsStayApart) { EXPECT_THAT(Wrap("a\n\nb", 9), ElementsAre("a", "", "b")); }

TEST(Wrap, LongWordsAreCut) {
  EXPECT_THAT(Wrap("abcdefg", 3), ElementsAre("abc", "def", "g"));
  EXPECT_THAT(Wrap("x abcdefg y", 3), ElementsAre("x", "abc", "def", "g y"));
  EXPECT_THAT(Wrap("日本", 1), ElementsAre("日", "本"));
}

TEST(Wrap, NothingIsOneEmptyLine) {
  EXPECT_THAT(Wrap("", 10), ElementsAre(""));
  EXPECT_THAT(Wrap("a", 0), ElementsAre("a"));
}

}  // namespace
}  // namespace tare
