// printable.cc: UTF-8 decoding, escaping and display width.
#include "base/printable.h"

#include <fmt/format.h>

#include <array>

namespace tare {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

constexpr bool In(char32_t c, const auto& ranges) {
  for (const Range& range : ranges) {
    if (c >= range.first && c <= range.last) return true;
  }
  return false;
}

// Characters that control the terminal or hide neighbouring text (Unicode 15: C0, C1, line and
// paragraph separators, direction marks and overrides, zero-width and tag characters, the byte
// order mark).
constexpr auto kActing = std::to_array<Range>({{0x00, 0x1f},
                                               {0x7f, 0x9f},
                                               {0x061c, 0x061c},
                                               {0x200b, 0x200f},
                                               {0x2028, 0x202e},
                                               {0x2060, 0x206f},
                                               {0xfeff, 0xfeff},
                                               {0xfff9, 0xfffb},
                                               {0xe0000, 0xe007f}});
constexpr auto kCombining = std::to_array<Range>({{0x0300, 0x036f},
                                                  {0x0483, 0x0489},
                                                  {0x0591, 0x05bd},
                                                  {0x0610, 0x061a},
                                                  {0x064b, 0x065f},
                                                  {0x1ab0, 0x1aff},
                                                  {0x1dc0, 0x1dff},
                                                  {0x20d0, 0x20ff},
                                                  {0xfe00, 0xfe0f},
                                                  {0xfe20, 0xfe2f}});
constexpr auto kWide = std::to_array<Range>({{0x1100, 0x115f},
                                             {0x2e80, 0x303e},
                                             {0x3041, 0xa4cf},
                                             {0xac00, 0xd7a3},
                                             {0xf900, 0xfaff},
                                             {0xfe30, 0xfe6f},
                                             {0xff00, 0xff60},
                                             {0xffe0, 0xffe6},
                                             {0x1f300, 0x1f64f},
                                             {0x1f900, 0x1f9ff},
                                             {0x20000, 0x3fffd}});

}  // namespace

CodePoint FirstCodePoint(std::string_view text) {
  if (text.empty()) return {0, 0};
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 && lead <= 0xf4   ? 4
                             : lead >= 0xe0 && lead <= 0xef ? 3
                             : lead >= 0xc2 && lead <= 0xdf ? 2
                                                            : 0;
  if (length == 0 || text.size() < length) return {0, 0};
  char32_t value = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return {0, 0};
    value = (value << 6) | (byte & 0x3fu);
  }
  constexpr std::array<char32_t, 5> kMin = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kMin[length] || value > 0x10ffff || surrogate) return {0, 0};
  return {value, length};
}

std::string Printable(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const CodePoint next = FirstCodePoint(text);
    if (next.length == 0) {
      safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    if (!In(next.value, kActing)) {
      safe += text.substr(0, next.length);
    } else if (next.value < 0x80) {
      safe += fmt::format("\\x{:02x}", static_cast<unsigned>(next.value));
    } else {
      safe += fmt::format("\\u{{{:x}}}", static_cast<unsigned>(next.value));
    }
    text.remove_prefix(next.length);
  }
  return safe;
}

std::size_t DisplayWidth(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint next = FirstCodePoint(text);
    width += In(next.value, kCombining) ? 0u : In(next.value, kWide) ? 2u : 1u;
    text.remove_prefix(next.length == 0 ? 1 : next.length);
  }
  return width;
}

}  // namespace tare
