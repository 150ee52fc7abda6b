// table_cells.cc: finds columns by name and reads cells by type.
#include "report/table_cells.h"

#include <algorithm>

namespace tare::report {

std::optional<std::size_t> FindColumn(const Table& table, std::string_view name) {
  const auto found = std::ranges::find(table.columns, name, &Column::name);
  if (found == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.columns.begin());
}

std::string TextAt(const std::vector<Cell>& row, std::size_t column) {
  const auto* text = std::get_if<std::string>(&row[column]);
  return text != nullptr ? *text : std::string();
}

}  // namespace tare::report
