// text_blocks.h: one kind of block each as text; see text.h for the whole document.
#pragma once

#include <optional>
#include <string>

#include "report/columns.h"
#include "report/document.h"
#include "report/text.h"

namespace tare::report {

// Each block as lines, without its title.
std::string TableText(const Table& table, const TextStyle& style, Notes& notes);
std::string TreeText(const Tree& tree, const TextStyle& style, Notes& notes);
std::string SeriesText(const Series& series, const TextStyle& style);
std::string TimelineText(const Timeline& timeline, const TextStyle& style);
std::string BarsText(const Bars& bars, const TextStyle& style, Notes& notes);
std::string ParagraphText(const Text& text, const TextStyle& style);

// Columns side by side under their headers; nothing when they do not fit into the width.
std::optional<std::string> Grid(const std::vector<ShownColumn>& columns, const TextStyle& style);

// The remarks as lines.
std::string NoteText(const Notes& notes, const TextStyle& style);

// The lines in one text, each ended.
std::string Joined(const std::vector<std::string>& lines);

}  // namespace tare::report
