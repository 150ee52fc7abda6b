// paint.h: colours on a terminal, only if requested.
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

// Colours for lines that also have letters. Neighbouring colours differ clearly.
inline constexpr std::array<Paint, 8> kDistinct = {
    Paint::kCyan,          Paint::kMagenta,     Paint::kGreen,      Paint::kBlue,
    Paint::kBrightMagenta, Paint::kBrightGreen, Paint::kBrightBlue, Paint::kBrightCyan};

Paint PaintOf(Verdict verdict);

// `text` between the escape sequences of `paint`; unchanged if it is empty or `colour` is false.
std::string Painted(std::string_view text, Paint paint, bool colour);

// Colours for filled areas. Each sets its own background and black text, so that it looks the same
// on dark and on light terminals.
inline constexpr std::size_t kFillColours = 12;

// `index` is taken modulo kFillColours. With `solid`, the text has the colour of the area and is
// invisible. Returns `text` unchanged if `colour` is false.
std::string Filled(std::string_view text, std::size_t index, bool solid, bool colour);

}  // namespace tare::report
