// paint.h: colour on a terminal, only where it was asked for.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/caveat.h"

namespace tare::report {

enum class Paint {
  kPlain,
  kBold,
  kDim,
  kYellow,
  kRed,
  kCyan,
  kMagenta,
  kGreen,
  kBlue,
  kBrightCyan,
  kBrightMagenta,
  kBrightGreen,
  kBrightBlue,
};

// For things that are told apart by colour besides letters. Neighbours are far apart.
inline constexpr std::array<Paint, 8> kDistinct = {
    Paint::kCyan,          Paint::kMagenta,     Paint::kGreen,      Paint::kBlue,
    Paint::kBrightMagenta, Paint::kBrightGreen, Paint::kBrightBlue, Paint::kBrightCyan};

Paint PaintOf(Verdict verdict);

// `text` between the escape sequences of `paint`; unchanged when it is empty or `colour` is false.
std::string Painted(std::string_view text, Paint paint, bool colour);

// For things that fill an area. Each has a background of its own and black on it, so that it reads
// the same on dark and on light terminals.
inline constexpr std::size_t kFillColours = 12;

// `index` is taken modulo kFillColours. Solid: the letters have the colour of the area, so that the
// area alone is seen. Unchanged when `colour` is false.
std::string Filled(std::string_view text, std::size_t index, bool solid, bool colour);

}  // namespace tare::report
