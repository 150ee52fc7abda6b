// printable.h: text from outside, made safe to show on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tare {

// Symbol names, paths and program output pass through here before anybody sees them. Control
// characters, escape sequences, direction overrides and bytes that are not UTF-8 become \xNN or
// \u{NNNN}; everything else stays.
std::string Printable(std::string_view text);

// The code point at the start of `text` and its length in bytes; length 0 when `text` is empty or
// does not start with well-formed UTF-8.
struct CodePoint {
  char32_t value;
  std::size_t length;
};
CodePoint FirstCodePoint(std::string_view text);

// Columns that printable text takes on a terminal: one per code point, none for combining marks,
// two for wide ones.
std::size_t DisplayWidth(std::string_view text);

}  // namespace tare
