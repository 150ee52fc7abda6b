// printable_test.cc: tests that no control sequence of foreign text reaches the terminal.
#include "base/printable.h"

#include <gtest/gtest.h>

namespace tare {
namespace {

TEST(Printable, OrdinaryTextStays) {
  EXPECT_EQ(Printable("main() µs ± 日本 😀"), "main() µs ± 日本 😀");
}

TEST(Printable, EscapeSequencesAndControlsAreShown) {
  EXPECT_EQ(Printable("\x1b[2J\a\n\t\x7f"), "\\x1b[2J\\x07\\x0a\\x09\\x7f");
  EXPECT_EQ(Printable(std::string_view("a\0b", 3)), "a\\x00b");
  // U+009B is the C1 control character CSI, the 8-bit form of ESC [.
  EXPECT_EQ(Printable("\xc2\x9b"), "\\u{9b}");
}

TEST(Printable, DirectionOverridesAreShown) {
  EXPECT_EQ(Printable("a\u202eb"), "a\\u{202e}b");
  EXPECT_EQ(Printable("a\u2066b\u200b"), "a\\u{2066}b\\u{200b}");
}

TEST(Printable, BytesThatAreNotUtf8AreShown) {
  EXPECT_EQ(Printable("a\xff"), "a\\xff");
  EXPECT_EQ(Printable("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  EXPECT_EQ(Printable("\xe2\x82"), "\\xe2\\x82");                    // truncated
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(DisplayWidth("µs"), 2u);
  EXPECT_EQ(DisplayWidth("日本"), 4u);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1u);
  EXPECT_EQ(DisplayWidth(""), 0u);
}

}  // namespace
}  // namespace tare
