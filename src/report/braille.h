// braille.h: a canvas of Braille characters with eight dots each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tare::report {

// Dots are counted from the top left; each character has 2 by 4 of them. Every character records
// the pen that last drew in it.
class BrailleCanvas {
 public:
  BrailleCanvas(std::size_t columns, std::size_t rows);

  std::size_t dots_across() const { return 2 * columns_; }
  std::size_t dots_down() const { return 4 * rows_; }

  // Ignores dots outside the canvas.
  void Dot(std::int64_t x, std::int64_t y, std::size_t pen);
  void Stroke(std::int64_t x0, std::int64_t y0, std::int64_t x1, std::int64_t y1, std::size_t pen);

  // The character at a position; a blank if nothing was drawn there.
  std::string Glyph(std::size_t column, std::size_t row) const;
  std::size_t Pen(std::size_t column, std::size_t row) const;

  // Whether only `pen` has drawn in that character.
  bool DrawnAlone(std::size_t column, std::size_t row, std::size_t pen) const;

 private:
  struct Character {
    std::uint8_t dots = 0;
    std::size_t pen = 0;
    bool shared = false;
  };

  std::size_t columns_;
  std::size_t rows_;
  std::vector<Character> characters_;
};

}  // namespace tare::report
