// report_files.h: reads results and traces, and writes them in other formats.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/page.h"

namespace tare::cli {

// Whether the file starts as a vertical trace.
bool IsSeriesFile(const std::filesystem::path& file);

// A saved result, what a study has so far, or a vertical trace shown as `tare trace --show` does,
// with lines of up to `max_points` points.
Result<report::PageResult> ReadResult(const std::string& file, std::size_t max_points);

enum class ReportFormat {
  kHtml,
  kSvg,
  kSqlite,
  kParquet,
  kGoogleBenchmark,
  kHyperfine,
  kJUnit,
  kGithub,
};

// The format named by --format, or else by the suffix of the file.
Result<ReportFormat> FormatFor(const std::string& name, const std::string& output);

struct ReportRequest {
  std::vector<std::string> files;
  ReportFormat format = ReportFormat::kHtml;
  std::string output;  // "-": standard output, for formats of text
  std::string block;   // the id of the table or plot, if one is needed
};

// Writes the file and returns its number of bytes. All records of traces are exported, one row
// each, to SQLite and Parquet.
Result<std::uint64_t> WriteReport(const ReportRequest& request,
                                  std::span<const report::PageResult> results);

}  // namespace tare::cli
