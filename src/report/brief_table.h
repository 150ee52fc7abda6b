// brief_table.h: what of a table brief text shows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/document.h"

namespace tare::report {

// The rest of a table, and what was left out.
struct BriefTable {
  Table table;
  std::size_t zero_rows = 0;
  std::size_t further_rows = 0;  // beyond the maximum
  std::vector<std::string> left_out_columns = {};
  // Rows without any number as "names: reason", one line per reason.
  std::vector<std::string> absences = {};
};

// Leaves out columns that are details, rows and columns whose numbers are all zero or absent, and
// rows beyond `max_rows` (0: none). A table that is `whole` keeps its rows.
BriefTable Brief(const Table& table, std::size_t max_rows);

// The column to leave out next if the columns are too wide: the last one that is not kept,
// otherwise the last one. The first column always stays; 0 if there is none to leave out.
std::size_t LeastImportant(const std::vector<Column>& columns);

void RemoveColumn(Table& table, std::size_t column);

// "12 rows of zeros, 3 more rows, columns loads and stores"; empty if nothing was left out.
std::string LeftOut(const BriefTable& brief);

}  // namespace tare::report
