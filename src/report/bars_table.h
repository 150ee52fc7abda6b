// bars_table.h: the numbers of bars as tables.
#pragma once

#include "report/document.h"

namespace tare::report {

// The value as it can be drawn: 0 for one that is not there, not finite or negative.
double DrawnPart(const Measured& measured);

// The sum of what can be drawn; exact when all values are there, exact and whole; doubtful when one
// is not there, absent when none is.
Measured TotalOf(const Bar& bar);

// A row for each value: bar, segment, value.
Table LongTable(const Bars& bars);

// A row for each segment and a last one for the sum; for each bar a column with its values.
Table WideTable(const Bars& bars);

}  // namespace tare::report
