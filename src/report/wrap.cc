// wrap.cc: line breaking by display width.
#include "report/wrap.h"

#include <algorithm>

#include "base/printable.h"

namespace tare::report {
namespace {

// The size in bytes and in columns of the first character of `text`, which must not be empty.
struct Character {
  std::size_t bytes;
  std::size_t columns;
};

Character FirstCharacter(std::string_view text) {
  if (static_cast<unsigned char>(text[0]) < 0x80) return {1, 1};
  const std::size_t bytes = std::max<std::size_t>(FirstCodePoint(text).length, 1);
  return {bytes, DisplayWidth(text.substr(0, bytes))};
}

// The number of bytes of `text` that fit on a line of `width` columns.
std::size_t LineBytes(std::string_view text, std::size_t width) {
  std::size_t bytes = 0;
  std::size_t columns = 0;
  std::size_t after_blank = 0;
  std::size_t after_sign = 0;
  while (bytes < text.size()) {
    const Character next = FirstCharacter(text.substr(bytes));
    // A blank may exceed the width, because trailing blanks are removed.
    if (columns + next.columns > width && text[bytes] != ' ' && bytes > 0) {
      if (after_blank > 0) return after_blank;
      return after_sign > 0 ? after_sign : bytes;
    }
    if (text[bytes] == ' ') after_blank = bytes + 1;
    // Symbol names and paths are easier to read if they break after punctuation.
    const bool sign = std::string_view("/:,;.()<>_-=").find(text[bytes]) != std::string_view::npos;
    if (sign && columns >= width / 2) after_sign = bytes + 1;
    bytes += next.bytes;
    columns += next.columns;
  }
  return bytes;
}

}  // namespace

std::vector<std::string> Wrap(std::string_view text, std::size_t width, std::string_view first,
                              std::string_view next) {
  std::vector<std::string> lines;
  std::string_view guide = first;
  do {
    const std::size_t taken = DisplayWidth(guide);
    const std::size_t bytes = LineBytes(text, width > taken ? width - taken : 1);
    lines.push_back(Trimmed(std::string(guide).append(text.substr(0, bytes))));
    text.remove_prefix(bytes);
    while (text.starts_with(' ')) text.remove_prefix(1);
    guide = next;
  } while (!text.empty());
  return lines;
}

std::string Trimmed(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text);
}

std::size_t LongestWord(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    longest = std::max(longest, DisplayWidth(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

std::string PadRight(std::string_view text, std::size_t width) {
  std::string padded(text);
  const std::size_t taken = DisplayWidth(text);
  if (taken < width) padded.append(width - taken, ' ');
  return padded;
}

std::string PadLeft(std::string_view text, std::size_t width) {
  const std::size_t taken = DisplayWidth(text);
  return std::string(taken < width ? width - taken : 0, ' ').append(text);
}

std::string Cut(std::string_view text, std::size_t width) {
  if (text.size() <= width || DisplayWidth(text) <= width) return std::string(text);
  std::size_t bytes = 0;
  std::size_t columns = 0;
  while (bytes < text.size()) {
    const Character next = FirstCharacter(text.substr(bytes));
    if (columns + next.columns + 1 > width) break;
    bytes += next.bytes;
    columns += next.columns;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

}  // namespace tare::report
