// sparkline.h: the course of a quantity in one line of text.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tare::report {

// `width` characters from left to right, each as high as the mean of its part of the numbers, from
// 0 (or the smallest, where that is less) to the largest. A blank where all are not numbers. Fewer
// characters when there are fewer numbers.
std::string Sparkline(std::span<const double> numbers, std::size_t width);

}  // namespace tare::report
