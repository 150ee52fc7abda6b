// paint.h: colour on a terminal, only where it was asked for.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/caveat.h"

namespace tare::report {

enum class Paint { kPlain, kBold, kDim, kYellow, kRed, kCyan, kMagenta, kGreen, kBlue };

// For things that are told apart by colour alone or besides.
inline constexpr std::array<Paint, 4> kDistinct = {Paint::kCyan, Paint::kMagenta, Paint::kGreen,
                                                   Paint::kBlue};

Paint PaintOf(Verdict verdict);

// `text` between the escape sequences of `paint`; unchanged when it is empty or `colour` is false.
std::string Painted(std::string_view text, Paint paint, bool colour);

}  // namespace tare::report
