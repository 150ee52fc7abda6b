// text.h: renders a document as text for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/document.h"

namespace tare::report {

struct TextStyle {
  std::size_t width = 100;  // terminal width in columns; at least 20 is used
  bool colour = false;
  bool quiet = false;  // only blocks and caveats: no title, hints or provenance
  // Leaves out details: columns that are marked so or do not fit, rows and columns of zeros, and
  // rows beyond `max_lines`. A line below each table states what was left out.
  bool brief = false;
  // Of brief text: leaves out rows, then hints, then plots and tables from the last on, which a
  // line names. 0: any number.
  std::size_t max_lines = 0;
  bool keep_blocks = false;  // despite `max_lines`
  // IDs of blocks that the document lacks and -v shows; the line names them, too.
  std::vector<std::string> left_out = {};
};

// The text blocks "answer" and "summary" come first. Returns lines within the width without
// trailing blanks, each ended by a newline; empty if the document is empty. Escape sequences occur
// only with colour, and never from the document's own text.
std::string ToText(const Document& document, const TextStyle& style);

}  // namespace tare::report
