// braille.cc: dots and strokes on a Braille canvas.
#include "report/braille.h"

#include <array>
#include <cstdlib>

namespace tare::report {

BrailleCanvas::BrailleCanvas(std::size_t columns, std::size_t rows)
    : columns_(columns), rows_(rows), characters_(columns * rows) {}

void BrailleCanvas::Dot(std::int64_t x, std::int64_t y, std::size_t pen) {
  if (x < 0 || y < 0) return;
  const auto across = static_cast<std::size_t>(x);
  const auto down = static_cast<std::size_t>(y);
  if (across >= dots_across() || down >= dots_down()) return;
  // The Unicode Standard 15, section 21.1: dots 1, 2, 3, 7 are in the left column, 4, 5, 6, 8 in
  // the right one.
  constexpr std::array<std::array<std::uint8_t, 2>, 4> kBits = {
      {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
  Character& character = characters_[down / 4 * columns_ + across / 2];
  character.shared |= character.dots != 0 && character.pen != pen;
  character.dots = static_cast<std::uint8_t>(character.dots | kBits[down % 4][across % 2]);
  character.pen = pen;
}

void BrailleCanvas::Stroke(std::int64_t x0, std::int64_t y0, std::int64_t x1, std::int64_t y1,
                           std::size_t pen) {
  const std::int64_t across = std::abs(x1 - x0);
  const std::int64_t down = std::abs(y1 - y0);
  const std::int64_t steps = across > down ? across : down;
  for (std::int64_t step = 0; step <= steps; ++step) {
    const std::int64_t whole = steps == 0 ? 1 : steps;
    // Adds half a step before dividing, so that the result rounds to the nearest dot.
    const auto between = [&](std::int64_t from, std::int64_t to) {
      const std::int64_t moved = 2 * (to - from) * step;
      return from + (moved + (moved < 0 ? -whole : whole)) / (2 * whole);
    };
    Dot(between(x0, x1), between(y0, y1), pen);
  }
}

std::string BrailleCanvas::Glyph(std::size_t column, std::size_t row) const {
  const std::uint8_t dots = characters_[row * columns_ + column].dots;
  if (dots == 0) return " ";
  // U+2800 plus the dots, in UTF-8.
  return {static_cast<char>(0xe2), static_cast<char>(0xa0 | (dots >> 6)),
          static_cast<char>(0x80 | (dots & 0x3f))};
}

std::size_t BrailleCanvas::Pen(std::size_t column, std::size_t row) const {
  return characters_[row * columns_ + column].pen;
}

bool BrailleCanvas::DrawnAlone(std::size_t column, std::size_t row, std::size_t pen) const {
  const Character& character = characters_[row * columns_ + column];
  return character.dots != 0 && character.pen == pen && !character.shared;
}

}  // namespace tare::report
