// wrap.cc: greedy line breaking by display width.
#include "base/wrap.h"

#include <algorithm>

#include "base/printable.h"

namespace tare {
namespace {

// The longest start of `text` that takes at most `width` columns, at least one character.
std::string_view Fitting(std::string_view text, std::size_t width) {
  std::size_t length = 0;
  std::size_t columns = 0;
  while (length < text.size()) {
    const std::size_t step = std::max<std::size_t>(1, FirstCodePoint(text.substr(length)).length);
    columns += DisplayWidth(text.substr(length, step));
    if (columns > width && length > 0) break;
    length += step;
  }
  return text.substr(0, length);
}

void WrapLine(std::string_view text, std::size_t width, std::vector<std::string>& lines) {
  std::string line;
  std::size_t columns = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!line.empty() && columns + 1 + DisplayWidth(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
      columns = 0;
    }
    if (!line.empty()) {
      line += ' ';
      ++columns;
    }
    while (line.empty() && DisplayWidth(word) > width) {
      const std::string_view part = Fitting(word, width);
      word.remove_prefix(part.size());
      if (word.empty()) {
        word = part;
        break;
      }
      lines.emplace_back(part);
    }
    line += word;
    columns += DisplayWidth(word);
  }
  lines.push_back(std::move(line));
}

}  // namespace

std::vector<std::string> Wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    WrapLine(text.substr(0, end), std::max<std::size_t>(1, width), lines);
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

}  // namespace tare
