// bars_table.h: the numbers of a bar chart as tables.
#pragma once

#include "report/document.h"

namespace tare::report {

// The length to draw for a value: 0 if it is absent, not finite or negative.
double DrawnPart(const Measured& measured);

// The sum of the drawn lengths. It is exact if all values are exact non-negative integers, doubtful
// if a value is absent, and absent if all are.
Measured TotalOf(const Bar& bar);

// One row per value: bar, segment, value.
Table LongTable(const Bars& bars);

// One row per bar, one column per segment.
Table DotsTable(const Bars& bars);

// One row per segment and a last row with the totals; one column per bar.
Table WideTable(const Bars& bars);

}  // namespace tare::report
