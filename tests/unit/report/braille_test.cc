// braille_test.cc: tests dots and lines on a Braille canvas.
#include "report/braille.h"

#include <gtest/gtest.h>

namespace tare::report {
namespace {

TEST(BrailleCanvas, SetsTheDotsThatUnicodeNumbers) {
  // Unicode 15, 22.1: U+2801 is dot 1 (top left), U+2880 is dot 8 (bottom right).
  BrailleCanvas canvas(2, 1);
  canvas.Dot(0, 0, 0);
  canvas.Dot(3, 3, 1);
  EXPECT_EQ(canvas.Glyph(0, 0), "\u2801");
  EXPECT_EQ(canvas.Glyph(1, 0), "\u2880");
  EXPECT_EQ(canvas.Pen(1, 0), 1u);
}

TEST(BrailleCanvas, IsBlankWhereNothingWasDrawn) {
  const BrailleCanvas canvas(1, 1);
  EXPECT_EQ(canvas.Glyph(0, 0), " ");
}

TEST(BrailleCanvas, LeavesOutDotsOutside) {
  BrailleCanvas canvas(1, 1);
  for (const auto& [x, y] : {std::pair{-1, 0}, {0, -1}, {2, 0}, {0, 4}}) canvas.Dot(x, y, 0);
  EXPECT_EQ(canvas.Glyph(0, 0), " ");
}

TEST(BrailleCanvas, StrokesJoinTheirEndsInEitherDirection) {
  BrailleCanvas there(2, 1);
  there.Stroke(0, 0, 3, 3, 0);
  BrailleCanvas back(2, 1);
  back.Stroke(3, 3, 0, 0, 0);
  // Dots 1 and 5 (0x01, 0x10), then 3 and 8 (0x04, 0x80).
  EXPECT_EQ(there.Glyph(0, 0), "\u2811");
  EXPECT_EQ(there.Glyph(1, 0), "\u2884");
  EXPECT_EQ(back.Glyph(0, 0), there.Glyph(0, 0));
  EXPECT_EQ(back.Glyph(1, 0), there.Glyph(1, 0));
}

}  // namespace
}  // namespace tare::report
