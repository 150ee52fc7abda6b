// svg.h: plots as SVG, for papers and pages without scripts.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "report/document.h"

namespace tare::report {

// A picture of the block. The text is escaped; there are no scripts and no links. Fonts are those
// of the reader. Lines with different units are drawn in panels below each other.
std::string ToSvg(const Series& series);
std::string ToSvg(const Bars& bars);
std::string ToSvg(const Timeline& timeline);
std::string ToSvg(const Tree& tree);
// The first column of numbers with intervals: a dot and its interval for each row.
std::string ToSvg(const Table& table);

// A picture of the block with that id, or of the first plot if `id` is empty. Fails (kUsage) if
// there is none, and names those that there are.
Result<std::string> ToSvg(const Document& document, std::string_view id);

}  // namespace tare::report
