// report_series.h: vertical traces in reports: as a result, and all records as a table.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "format/series_reader.h"
#include "report/page.h"
#include "report/sqlite_file.h"

namespace tare::cli {

// The trace as `tare trace --show` shows it, with lines of up to `max_points` points in all.
Result<report::PageResult> ReadSeriesResult(const std::string& file, std::size_t max_points);

// One row per record: time_CLOCK and a column per channel, null where there is no value. Memory
// does not grow with the file.
Result<void> WriteSeriesParquet(const std::string& file, const std::filesystem::path& output);
Result<void> AddSeriesRecords(const std::string& file, const std::string& table,
                              report::SqliteFile& database);

}  // namespace tare::cli
