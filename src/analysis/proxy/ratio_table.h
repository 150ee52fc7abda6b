// ratio_table.h: ratios measured elsewhere, from a table with a row per program.
#pragma once

#include <string>
#include <vector>

#include "analysis/proxy/metric_ratio.h"
#include "base/csv.h"
#include "base/result.h"

namespace tare::proxy {

struct ImportedRatios {
  std::vector<JudgedProgram> programs;  // in the order of the rows
  std::size_t without_interval = 0;     // ratios that were judged by their value alone
};

// A column "program", then one column of ratios per metric; METRIC.low and METRIC.high, or
// METRIC_low and METRIC_high, are bounds of METRIC, and METRIC_verdict and METRIC_unit beside a
// METRIC are passed over, so that what `--csv table_1` wrote can be read. "runtime", "run time",
// "wall-time" and "time", however they are written, mean run-time; other names stay as they are. An
// empty cell is a metric that was not measured. Errors: kFormat, with the line, for ratios that are
// no positive numbers, bounds that do not enclose their ratio or stand alone, programs without a
// name or twice in the table, and tables without a metric.
Result<ImportedRatios> JudgeTable(const CsvTable& table, double tolerance);

}  // namespace tare::proxy
