// short_symbol.cc: empties the brackets of C++ and Rust names but keeps operators and lambdas.
#include "report/short_symbol.h"

#include <array>

#include "base/printable.h"
#include "report/wrap.h"

namespace tare::report {
namespace {

constexpr std::string_view kDots = "…";

// Brackets that are part of the name itself.
constexpr auto kKept = std::to_array<std::string_view>(
    {"(anonymous namespace)", "operator()", "operator<<=", "operator<=>", "operator<<",
     "operator<=", "operator<", "operator>>=", "operator>>", "operator>=", "operator->*",
     "operator->", "operator>", "->"});

std::string_view KeptAt(std::string_view rest) {
  for (const auto kept : kKept)
    if (rest.starts_with(kept)) return kept;
  return {};
}

// The index after the bracket that closes the one at the start of `text`; the size of the text if
// none does.
std::size_t BehindBracket(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto kept = KeptAt(text.substr(at)); at > 0 && !kept.empty()) {
      at += kept.size();
      continue;
    }
    if (text[at] == '<' || text[at] == '(') ++depth;
    if (text[at] == '>' || text[at] == ')') --depth;
    ++at;
    if (depth == 0) return at;
  }
  return text.size();
}

std::string WithoutMiddle(std::string_view text, std::size_t max_width) {
  const std::size_t head = (max_width - 1) / 2;
  const std::size_t tail = max_width - 1 - head;
  std::string result;
  const std::size_t width = DisplayWidth(text);
  for (std::size_t at = 0; !text.empty(); ++at) {
    const auto length = FirstCodePoint(text).length;
    if (at < head || at >= width - tail) result += text.substr(0, length);
    if (at == head) result += kDots;
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace

std::string ShortSymbol(std::string_view name, std::size_t max_width) {
  if (DisplayWidth(name) <= max_width) return std::string(name);
  std::string text;
  for (std::string_view rest = name; !rest.empty();) {
    if (const auto kept = KeptAt(rest); !kept.empty()) {
      text += kept;
      rest.remove_prefix(kept.size());
      continue;
    }
    const char first = rest.front();
    if (first == '<' || first == '(') {
      const std::size_t length = BehindBracket(rest);
      const char last = first == '<' ? '>' : ')';
      text += first;
      if (length > 2) text += kDots;
      text += last;
      rest.remove_prefix(length);
      continue;
    }
    text += first;
    rest.remove_prefix(1);
  }
  return DisplayWidth(text) <= max_width ? text : WithoutMiddle(text, max_width);
}

}  // namespace tare::report
