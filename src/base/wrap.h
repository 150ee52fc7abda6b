// wrap.h: text broken into lines that fit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tare {

// Lines of at most `width` columns (at least one), broken between words; a word that is too long is
// cut. Line breaks in `text` stay, so that an empty line parts two paragraphs. One empty line for
// empty text.
std::vector<std::string> Wrap(std::string_view text, std::size_t width);

}  // namespace tare
