// series_csv.h: exports a vertical trace as CSV, one line per record.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/series_reader.h"

namespace tare::format {

struct SeriesCsvOptions {
  // Export totals as the change since the last record with a value, and empty in the first record.
  // So the sum of a column is correct even if values are missing. Levels are exported unchanged.
  bool differences = false;
  // Whether to export the channel of that name; null: all of them.
  std::function<bool(const std::string& channel)> wants = nullptr;
};

// Receives text in pieces of about 64 KiB; an error ends the export.
using TextSink = std::function<Result<void>(std::string_view)>;

// The first line is "time_CLOCK" and the names of the channels, including those added later. A
// missing value is an empty field. The file is read twice, the first time for the names. An
// incomplete file is exported as far as possible, and the outcome says so.
Result<SeriesOutcome> WriteSeriesCsv(const std::filesystem::path& path,
                                     const SeriesCsvOptions& options, const TextSink& sink);

// The same into a file that is replaced atomically; devices and pipes are written in place.
Result<SeriesOutcome> WriteSeriesCsvFile(const std::filesystem::path& path,
                                         const SeriesCsvOptions& options,
                                         const std::filesystem::path& csv);

}  // namespace tare::format
