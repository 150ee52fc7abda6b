// text.h: a document as people read it in a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "report/document.h"

namespace tare::report {

struct TextStyle {
  std::size_t width = 100;  // of the terminal, in columns; less than 20 is taken as 20
  bool colour = false;
  bool quiet = false;  // blocks and caveats alone: no title, hints or provenance
};

// Lines within the width, without blanks at their ends, the last one ended too. Empty for a
// document that says nothing. Escape sequences are there only with colour, and never those of the
// document's own text.
std::string ToText(const Document& document, const TextStyle& style);

}  // namespace tare::report
