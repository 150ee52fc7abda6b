// metrics_file.h: the TOML file that says what of a program is counted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/instrument_plan.h"

namespace tare::metrics {

// What the plugin need not know of a metric.
struct MetricPlace {
  std::uint32_t line = 0;  // of what it counts, in the file, from 1
  std::uint32_t column = 0;
  std::vector<std::string> in;  // globs of programs and libraries that have it; empty: see programs
};

struct MetricsFile {
  std::filesystem::path path;
  format::InstrumentPlan plan;
  std::vector<MetricPlace> places;    // of the plan's metrics, one for each
  std::vector<std::string> programs;  // globs of the programs that are meant; empty: all
};

// docs/formats/metrics.md describes the file. Errors are kFormat and begin with
// "PATH:LINE:COLUMN: ". `path` is for them and for a profile, which is looked for beside it.
Result<MetricsFile> ParseMetrics(std::string_view text, const std::filesystem::path& path);

Result<MetricsFile> ReadMetrics(const std::filesystem::path& path);

// The metrics of these names alone; neither blocks nor functions by rule. kUsage, with a near
// match, for a name that the file has not.
Result<MetricsFile> Only(MetricsFile file, std::span<const std::string> names);

}  // namespace tare::metrics
