// series_table.h: the numbers of a series as a table.
#pragma once

#include "report/document.h"

namespace tare::report {

// A row for each x that a line has, by rising x; a column for x and one for each line, empty where
// the line has no point. A line that has an x twice gives two rows.
Table WideTable(const Series& series);

}  // namespace tare::report
