// series_csv.h: a vertical trace as comma-separated values, record by record.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "format/series_reader.h"

namespace tare::format {

struct SeriesCsvOptions {
  // Totals as what happened since the last record that had a value, empty in the first one; so the
  // sum of a column is right whatever is missing. Levels stay.
  bool differences = false;
};

// Takes text in pieces of some 64 KiB; an error ends the export.
using TextSink = std::function<Result<void>(std::string_view)>;

// First line: "time_CLOCK", then the channels' names, also of those added later. A missing value is
// an empty field. The file is read twice, once for the names. An incomplete file is exported as far
// as it goes, and the outcome says so.
Result<SeriesOutcome> WriteSeriesCsv(const std::filesystem::path& path,
                                     const SeriesCsvOptions& options, const TextSink& sink);

// The same into a file that is replaced whole or not at all; devices and pipes in place.
Result<SeriesOutcome> WriteSeriesCsvFile(const std::filesystem::path& path,
                                         const SeriesCsvOptions& options,
                                         const std::filesystem::path& csv);

}  // namespace tare::format
