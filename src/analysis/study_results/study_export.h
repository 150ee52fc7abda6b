// study_export.h: all runs of a study as one table for other tools.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study_results/result_set.h"
#include "base/result.h"
#include "report/typed_columns.h"

namespace tare::study_results {

enum class ExportFormat { kCsv, kParquet, kSqlite };

// The rows [first, last) of the table `runs`: run, the factors, repetition, attempt, started,
// state, exit_status, signal, seconds, load, node, conditions, changed, message, files, a column
// for each metric. All calls for a set give the same columns. A factor of which all levels are
// numbers has numbers. `files` is what the run left in {files}, relative to the directory of
// results; null if it left nothing.
class RunTable {
 public:
  RunTable(const ResultSet& set, const std::filesystem::path& results);
  report::TypedTable Rows(std::size_t first, std::size_t last) const;

 private:
  enum class LevelKind { kText, kWhole, kReal };
  LevelKind KindOf(const std::string& factor) const;

  const ResultSet& set_;
  std::filesystem::path results_;
  std::vector<bool> has_files_;     // by stored case
  std::vector<LevelKind> kinds_;    // by factor
  std::vector<bool> whole_;         // by metric: all values are whole numbers
  std::vector<std::string> names_;  // of the metrics' columns
};

// RFC 4180. Text that a spreadsheet would take for a formula gets a leading '.
std::string CsvHeader(const report::TypedTable& table);
std::string CsvRows(const report::TypedTable& table);

// Writes the file, which replaces an older one when it is complete.
Result<void> ExportRuns(const ResultSet& set, const std::filesystem::path& results,
                        const std::filesystem::path& path, ExportFormat format);
std::string RunsAsCsv(const ResultSet& set, const std::filesystem::path& results);

}  // namespace tare::study_results
