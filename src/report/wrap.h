// wrap.h: wraps and pads text by display width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tare::report {

// Breaks text into lines of at most `width` columns, at blanks and within words that are longer
// than a line. `first` precedes the first line and `next` the others; both count towards the width.
// Each line has at least one character, even if the width is too small. No line ends with a blank.
// Empty text gives one line.
std::vector<std::string> Wrap(std::string_view text, std::size_t width, std::string_view first = "",
                              std::string_view next = "");

// The width of the longest word.
std::size_t LongestWord(std::string_view text);

// The text without trailing blanks.
std::string Trimmed(std::string_view text);

// The text padded with blanks to `width` columns.
std::string PadRight(std::string_view text, std::size_t width);
std::string PadLeft(std::string_view text, std::size_t width);

// The text cut to `width` columns, with … for the missing part.
std::string Cut(std::string_view text, std::size_t width);

}  // namespace tare::report
