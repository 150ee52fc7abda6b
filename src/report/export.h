// export.h: tables in forms that other programs read.
#pragma once

#include <string>

#include "report/document.h"

namespace tare::report {

// RFC 4180, with a header and lines ended by a line feed. A column with measured numbers gives
// name, name_low, name_high, name_unit and name_verdict, of which only those that some cell uses
// are there. Numbers stand in full. Text that a spreadsheet would take for a formula gets a ' in
// front.
std::string ToCsv(const Table& table);

// A table of GitHub-flavoured Markdown, its title before it and its notes after it, numbers as in
// the text. Text of the table cannot act as Markdown or HTML.
std::string ToMarkdown(const Table& table);

// A row for each value: bar, segment, value.
std::string ToCsv(const Bars& bars);
// A row for each segment and a column for each bar.
std::string ToMarkdown(const Bars& bars);

// A row for each place on the axis and a column for each line.
std::string ToCsv(const Series& series);
std::string ToMarkdown(const Series& series);

}  // namespace tare::report
