// paint.cc: all escape sequences for colours.
#include "report/paint.h"

#include <fmt/format.h>

namespace tare::report {
namespace {

// ECMA-48, 8.3.117 (select graphic rendition). 90 to 97 are the bright colours of aixterm, which
// all common terminals support.
int Rendition(Paint paint) {
  switch (paint) {
    case Paint::kPlain:
      return 0;
    case Paint::kBold:
      return 1;
    case Paint::kDim:
      return 2;
    case Paint::kRed:
      return 31;
    case Paint::kGreen:
      return 32;
    case Paint::kYellow:
      return 33;
    case Paint::kBlue:
      return 34;
    case Paint::kMagenta:
      return 35;
    case Paint::kCyan:
      return 36;
    case Paint::kBrightGreen:
      return 92;
    case Paint::kBrightBlue:
      return 94;
    case Paint::kBrightMagenta:
      return 95;
    case Paint::kBrightCyan:
      return 96;
  }
  return 0;
}

}  // namespace

Paint PaintOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kValid:
      return Paint::kPlain;
    case Verdict::kDoubtful:
      return Paint::kYellow;
    case Verdict::kRefused:
      return Paint::kRed;
  }
  return Paint::kPlain;
}

std::string Filled(std::string_view text, std::size_t index, bool solid, bool colour) {
  if (!colour || text.empty()) return std::string(text);
  // Indices into the 256-colour palette. They are light enough for black text, neighbours differ
  // clearly, and no distinction depends on red versus green.
  constexpr std::array<int, kFillColours> kPalette = {117, 214, 78,  227, 175, 111,
                                                      209, 151, 250, 180, 141, 44};
  const int number = kPalette[index % kFillColours];
  return fmt::format("\x1b[38;5;{};48;5;{}m{}\x1b[0m", solid ? number : 16, number, text);
}

std::string Painted(std::string_view text, Paint paint, bool colour) {
  if (!colour || paint == Paint::kPlain || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", Rendition(paint), text);
}

}  // namespace tare::report
