// printable.h: makes untrusted text safe to show on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tare {

// Symbol names, paths and program output must pass through this function before they are shown.
// Control characters, escape sequences, direction overrides and bytes that are not UTF-8 become
// \xNN or \u{NNNN}; all other text is unchanged.
std::string Printable(std::string_view text);

// The code point at the start of `text` and its length in bytes. The length is 0 if `text` is empty
// or does not start with well-formed UTF-8.
struct CodePoint {
  char32_t value;
  std::size_t length;
};
CodePoint FirstCodePoint(std::string_view text);

// The number of terminal columns of printable text: one per code point, none for combining marks,
// two for wide characters.
std::size_t DisplayWidth(std::string_view text);

}  // namespace tare
