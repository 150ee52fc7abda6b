// table_cells.h: access to columns and cells of tables read from files.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"

namespace tare::report {

std::optional<std::size_t> FindColumn(const Table& table, std::string_view name);

// Empty if the cell is not text. `column` must be less than the size of the row.
std::string TextAt(const std::vector<Cell>& row, std::size_t column);

}  // namespace tare::report
