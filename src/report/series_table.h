// series_table.h: the numbers of a series as a table.
#pragma once

#include "report/document.h"

namespace tare::report {

// One row per x of any line, in ascending order; one column for x and one per line. A cell is empty
// if the line has no point there. A line that has an x twice gives two rows.
Table WideTable(const Series& series);

}  // namespace tare::report
