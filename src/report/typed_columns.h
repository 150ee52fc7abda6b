// typed_columns.h: tables as columns of one type each, for databases and data frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "report/document.h"

namespace tare::report {

// Values that are absent are null.
struct TypedColumn {
  using Whole = std::vector<std::optional<std::int64_t>>;
  using Real = std::vector<std::optional<double>>;
  using Texts = std::vector<std::optional<std::string>>;

  std::string name;
  std::variant<Whole, Real, Texts> values;
};

struct TypedTable {
  std::string name;
  std::vector<TypedColumn> columns;  // all as long as `rows`, with different names
  std::size_t rows = 0;
};

// A column of measured numbers becomes name, name_low, name_high, name_unit, name_verdict,
// name_source and name_reason; those that no cell uses are omitted, as in CSV. A column of numbers
// and texts becomes name, with the numbers, and name_text.
TypedTable TypedColumns(const Table& table);

// The block as a table: the positions of a series, the parts of bars, the spans of a timeline, the
// nodes of a tree with their paths. Nothing for a text.
std::optional<Table> AsTable(const Block& block);

// Appends the rows of `more`, whose columns may differ; what a table lacks is null. A column that
// is whole in one and real in the other becomes real, and text if one is text.
void AppendRows(TypedTable& table, const TypedTable& more);

// A first column with the same text in all rows.
void PrependText(TypedTable& table, const std::string& name, const std::string& text);

}  // namespace tare::report
