// sparkline.h: the course of a quantity in one line of text.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tare::report {

// `width` characters from left to right. The height of each is the mean of its part of the numbers,
// on a scale from 0 (or the minimum, if negative) to the maximum. A part of only NaNs gives a
// blank. Returns fewer characters if there are fewer numbers.
std::string Sparkline(std::span<const double> numbers, std::size_t width);

}  // namespace tare::report
