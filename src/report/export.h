// export.h: tables as CSV and Markdown.
#pragma once

#include <string>

#include "report/document.h"

namespace tare::report {

// RFC 4180 with a header and LF line ends. A column of measured numbers becomes name, name_low,
// name_high, name_unit and name_verdict; those that no cell uses are omitted. Numbers are written
// in full precision. Text that a spreadsheet would interpret as a formula gets a leading '.
std::string ToCsv(const Table& table);

// A table in GitHub-flavoured Markdown, with its title before it and its notes after it. Numbers
// are formatted as in text output. Markdown and HTML in the table's text are escaped.
std::string ToMarkdown(const Table& table);

// One row per value: bar, segment, value.
std::string ToCsv(const Bars& bars);
// One row per segment and one column per bar.
std::string ToMarkdown(const Bars& bars);

// One row per position on the axis and one column per line.
std::string ToCsv(const Series& series);
std::string ToMarkdown(const Series& series);

}  // namespace tare::report
