// wrap.h: text set in lines of a given width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tare::report {

// Lines of at most `width` columns, broken at blanks and within words that are longer than a line.
// `first` stands before the first line and `next` before the others, within the width. At least one
// character stands on each line, however narrow. No line ends
// with a blank. Empty text gives one line.
std::vector<std::string> Wrap(std::string_view text, std::size_t width, std::string_view first = "",
                              std::string_view next = "");

// The columns that the longest word takes.
std::size_t LongestWord(std::string_view text);

// The text without blanks at its end.
std::string Trimmed(std::string_view text);

// Text filled with blanks up to `width`.
std::string PadRight(std::string_view text, std::size_t width);
std::string PadLeft(std::string_view text, std::size_t width);

// The text cut to `width` columns, with … for what is missing.
std::string Cut(std::string_view text, std::size_t width);

}  // namespace tare::report
