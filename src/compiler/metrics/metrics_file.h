// metrics_file.h: the TOML file that selects what to count in a program.
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

// The properties of a metric that the plugin does not need.
struct MetricPlace {
  std::uint32_t line = 0;  // position in the file, from 1
  std::uint32_t column = 0;
  std::vector<std::string> in;  // globs of programs and libraries with it; empty: see programs
};

struct MetricsFile {
  std::filesystem::path path;
  format::InstrumentPlan plan;
  std::vector<MetricPlace> places;    // one per metric of the plan
  std::vector<std::string> programs;  // globs of the selected programs; empty: all
  std::vector<std::string> events;    // of processor and kernel, to be traced beside the metrics
};

// docs/formats/metrics.md documents the file. Errors are kFormat and start with "PATH:LINE:COLUMN:
// ". `path` is used in messages, and a profile is searched in its directory.
Result<MetricsFile> ParseMetrics(std::string_view text, const std::filesystem::path& path);

Result<MetricsFile> ReadMetrics(const std::filesystem::path& path);

// Keeps only the metrics with these names, without blocks and without functions selected by rules.
// Fails (kUsage), with a near match, on a name that is not in the file.
Result<MetricsFile> Only(MetricsFile file, std::span<const std::string> names);

}  // namespace tare::metrics
