// table_cells.h: looking things up in tables that were read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"

namespace tare::report {

std::optional<std::size_t> FindColumn(const Table& table, std::string_view name);

// Empty for cells that hold no text. The row has that column.
std::string TextAt(const std::vector<Cell>& row, std::size_t column);

}  // namespace tare::report
