// trace_tables.h: a vertical trace as tables and lines, read from its file.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "measure/sample/metric_choice.h"
#include "report/document.h"

namespace tare::cli {

struct TraceView {
  sample::MetricChoice choice;
  bool all = false;  // columns that few people need, and lines that never change: for machines
};

// Adds to `document` the tables `metrics`, `sampling` and, where there is something to tell,
// `absent` and `histograms`; a series for each metric; a summary and caveats. Memory does not grow
// with the file. Fails for what is no series.
Result<void> ShowTrace(const std::filesystem::path& file, const TraceView& view,
                       report::Document& document);

}  // namespace tare::cli
