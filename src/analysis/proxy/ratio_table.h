// ratio_table.h: reads ratios measured elsewhere from a table with a row per program.
#pragma once

#include <string>
#include <vector>

#include "analysis/proxy/metric_ratio.h"
#include "base/csv.h"
#include "base/result.h"

namespace tare::proxy {

struct ImportedRatios {
  std::vector<ProgramRatios> programs;  // in the order of the rows
  std::size_t without_interval = 0;     // ratios that were judged by value alone
};

// The table has a column "program" and one column of ratios per metric. METRIC.low and METRIC.high,
// or METRIC_low and METRIC_high, are the bounds of METRIC. METRIC_verdict and METRIC_unit next to a
// METRIC are ignored, so that the output of `--csv wide` can be read. "runtime", "run time",
// "wall-time" and "time", in any spelling, mean run-time; other names are kept. An empty cell is a
// metric that was not measured. kFormat, with the line, for ratios that are not positive numbers,
// bounds that do not enclose their ratio or have no counterpart, missing or duplicate program
// names, and tables without a metric.
Result<ImportedRatios> AssessTable(const CsvTable& table, double tolerance);

}  // namespace tare::proxy
