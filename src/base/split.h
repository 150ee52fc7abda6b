// split.h: the pieces of a text between separators.
#pragma once

#include <string_view>
#include <vector>

namespace tare {

// One piece more than `text` has separators; pieces can be empty.
inline std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

}  // namespace tare
