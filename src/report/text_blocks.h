// text_blocks.h: renders each kind of block as text; see text.h for the whole document.
#pragma once

#include <optional>
#include <string>

#include "report/columns.h"
#include "report/document.h"
#include "report/text.h"

namespace tare::report {

// Each returns the lines of a block without its title.
std::string TableText(const Table& table, const TextStyle& style, Notes& notes);
// With the brief table's rows, zero rows and details left out; see TextStyle.
std::string BriefTableText(const Table& table, std::size_t max_rows, const TextStyle& style,
                           Notes& notes);
std::string TreeText(const Tree& tree, const TextStyle& style, Notes& notes);
std::string SeriesText(const Series& series, const TextStyle& style);
std::string TimelineText(const Timeline& timeline, const TextStyle& style);
std::string BarsText(const Bars& bars, const TextStyle& style, Notes& notes);
std::string ParagraphText(const Text& text, const TextStyle& style);

// Columns side by side under their headers; nothing if they do not fit into the width.
std::optional<std::string> Grid(const std::vector<ShownColumn>& columns, const TextStyle& style);

// The notes as lines.
std::string NoteText(const Notes& notes, const TextStyle& style);

// All lines in one text, each ended by a newline.
std::string Joined(const std::vector<std::string>& lines);

}  // namespace tare::report
