// collected_table.h: rows for analyses, from the tables of Documents that runs left, or from cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/study_file.h"
#include "analysis/study_results/result_set.h"
#include "report/document.h"

namespace tare::study_results {

struct CollectedTable {
  // The factors, `run` if several runs of a case left rows, the columns of the table or the metrics
  // in order of first appearance, and derived columns. A column that a row lacks is empty there.
  report::Table table;
  std::size_t first_column = 0;       // number of columns before those of the table
  std::size_t files = 0;              // Documents with the table
  std::vector<std::string> problems;  // files that are missing or cannot be read
};

// The rows of `source`, without those that its `where` leaves out. A file that cannot be read is a
// problem; a Document without the table is none. Without a file, each case with runs is a row: its
// factors, and the median of each metric.
CollectedTable CollectRows(const ResultSet& set, const study::RowSource& source,
                           const std::filesystem::path& results);

// Adds a column for each expression; a row that lacks one of its numbers has nothing there.
void AddColumns(std::span<const study::DerivedColumn> columns, report::Table& table);

// A plot or table of a Document that a run left.
struct CollectedPlot {
  std::vector<std::string> levels;  // by the factors of the set
  std::int64_t run = 0;
  report::Block block;
};

struct CollectedPlots {
  std::vector<CollectedPlot> plots;
  std::size_t files = 0;              // Documents with one of the plots
  std::vector<std::string> problems;  // files that cannot be read
};

// The blocks with these ids, of the cases that `where` selects by their levels.
CollectedPlots CollectPlots(const ResultSet& set, const study::RowSource& source,
                            std::span<const std::string> ids, const std::filesystem::path& results);

// Fills `where` and derived columns; CollectRows calls it.
void FinishRows(const study::RowSource& source, CollectedTable& collected);

// A cell by the name of its column; COLUMN.low, COLUMN.high and COLUMN.verdict are parts of a
// measured cell. Nothing if the cell has none, or if there is no such column.
std::optional<Number> NumberOf(const report::Table& table, const std::vector<report::Cell>& row,
                               std::string_view column);
std::string TextOf(const report::Table& table, const std::vector<report::Cell>& row,
                   std::string_view column);
report::Cell CellOf(const report::Table& table, const std::vector<report::Cell>& row,
                    std::string_view column);
bool HasColumn(const report::Table& table, std::string_view column);

// Rows with the same texts in these columns, in order of first appearance.
struct RowGroup {
  std::vector<std::string> texts;
  std::vector<std::size_t> rows;
};
std::vector<RowGroup> GroupRows(const report::Table& table, std::span<const std::string> by);

// One row for each group of `by`, one column for each text of `across`, with the cells of `value`;
// the last of several.
report::Table Spread(const report::Table& table, std::span<const std::string> by,
                     const std::string& across, const std::string& value);

}  // namespace tare::study_results
