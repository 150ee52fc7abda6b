// trace_tables.h: tables and plots of a vertical trace, read from its file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/series.h"
#include "measure/sample/metric_selection.h"
#include "report/document.h"

namespace tare::cli {

inline constexpr std::size_t kPagePoints = 100'000;

struct TraceView {
  sample::MetricSelection selection;
  std::vector<std::string> requested = {};  // metrics by name: if absent, a text says why
  bool all = false;  // rarely needed columns and constant lines: for machine-readable output
  // For pages: lines with up to so many points in all, each with the extremes of the records that
  // it covers. 0: short lines without extremes.
  std::size_t max_points = 0;
};

// Adds to `document` an answer, the tables `phases`, `metrics`, `sampling` and, unless empty,
// `absent` and `histograms`; a series for each metric; the text `not_available`, a summary and
// caveats. Memory use does not
// grow with the file. Fails if the file is not a series.
Result<void> ShowTrace(const std::filesystem::path& file, const TraceView& view,
                       report::Document& document);

// Fails if `id` is the plot of a metric that a trace with this head does not have; says why, or
// which metric may be meant.
Result<void> CheckPlot(const std::string& id, const format::SeriesHead& head);

}  // namespace tare::cli
