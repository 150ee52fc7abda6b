// typed_columns.cc: cells sorted by type.
#include "report/typed_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/printable.h"
#include "report/bars_table.h"
#include "report/figures.h"
#include "report/series_table.h"

namespace tare::report {
namespace {

const Number* NumberIn(const Cell& cell) {
  if (const auto* number = std::get_if<Number>(&cell)) return number;
  const auto* measured = std::get_if<Measured>(&cell);
  return measured != nullptr ? ShownValue(*measured) : nullptr;
}

class ColumnParts {
 public:
  ColumnParts(const Table& table, std::size_t column) : table_(table), column_(column) {}

  void AddTo(TypedTable& typed) const {
    const std::string& name = table_.columns[column_].name;
    const bool has_text = Any([](const Cell& c) { return std::holds_alternative<std::string>(c); });
    const bool has_number = Any([](const Cell& c) { return NumberIn(c) != nullptr; });
    const bool has_measured =
        Any([](const Cell& c) { return std::holds_alternative<Measured>(c); });
    if (has_number || has_measured) typed.columns.push_back({name, Numbers()});
    if (has_text || (!has_number && !has_measured)) {
      const bool only = !has_number && !has_measured;
      typed.columns.push_back({only ? name : name + "_text", TextCells()});
    }
    if (has_measured) AddMeasuredParts(typed);
  }

 private:
  const Cell& At(std::size_t row) const {
    static const Cell kNothing;
    return column_ < table_.rows[row].size() ? table_.rows[row][column_] : kNothing;
  }

  bool Any(const auto& holds) const {
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      if (holds(At(row))) return true;
    }
    return false;
  }

  std::variant<TypedColumn::Whole, TypedColumn::Real, TypedColumn::Texts> Numbers() const {
    const bool whole = !Any([](const Cell& cell) {
      const Number* number = NumberIn(cell);
      return number != nullptr && std::holds_alternative<double>(*number);
    });
    TypedColumn::Whole wholes;
    TypedColumn::Real reals;
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      const Number* number = NumberIn(At(row));
      if (whole) {
        wholes.push_back(number != nullptr ? std::optional(std::get<std::int64_t>(*number))
                                           : std::nullopt);
      } else {
        reals.push_back(number != nullptr ? std::optional(AsDouble(*number)) : std::nullopt);
      }
    }
    if (whole) return wholes;
    return reals;
  }

  TypedColumn::Texts TextCells() const {
    TypedColumn::Texts texts;
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      const auto* text = std::get_if<std::string>(&At(row));
      texts.push_back(text != nullptr ? std::optional(*text) : std::nullopt);
    }
    return texts;
  }

  template <typename Values>
  void AddPart(TypedTable& typed, const char* suffix, const auto& part) const {
    Values values;
    bool used = false;
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      const auto* measured = std::get_if<Measured>(&At(row));
      values.push_back(measured != nullptr ? part(*measured) : std::nullopt);
      used = used || values.back().has_value();
    }
    if (used) typed.columns.push_back({table_.columns[column_].name + suffix, std::move(values)});
  }

  void AddMeasuredParts(TypedTable& typed) const {
    const auto finite = [](const std::optional<double>& bound) -> std::optional<double> {
      return bound && std::isfinite(*bound) ? bound : std::nullopt;
    };
    const auto stated = [](const std::string& text) -> std::optional<std::string> {
      return text.empty() ? std::nullopt : std::optional(text);
    };
    const std::string& common = table_.columns[column_].unit;
    AddPart<TypedColumn::Real>(typed, "_low", [&](const Measured& m) { return finite(m.low); });
    AddPart<TypedColumn::Real>(typed, "_high", [&](const Measured& m) { return finite(m.high); });
    AddPart<TypedColumn::Texts>(typed, "_unit", [&](const Measured& m) {
      return stated(m.unit.empty() ? common : m.unit);
    });
    if (Any([](const Cell& cell) {
          const auto* measured = std::get_if<Measured>(&cell);
          return measured != nullptr && measured->verdict != Verdict::kValid;
        })) {
      AddPart<TypedColumn::Texts>(typed, "_verdict", [](const Measured& m) {
        return std::optional(std::string(Name(m.verdict)));
      });
    }
    AddPart<TypedColumn::Texts>(typed, "_source",
                                [&](const Measured& m) { return stated(m.source); });
    AddPart<TypedColumn::Texts>(typed, "_reason",
                                [&](const Measured& m) { return stated(m.reason); });
  }

  const Table& table_;
  std::size_t column_;
};

// Names that differ, also for databases that ignore case.
void MakeUnique(std::vector<TypedColumn>& columns) {
  const auto lower = [](std::string text) {
    for (char& c : text) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
  };
  std::set<std::string> used;
  for (TypedColumn& column : columns) {
    column.name = column.name.empty() ? "value" : Printable(column.name);
    const std::string base = column.name;
    for (int n = 2; !used.insert(lower(column.name)).second; ++n) {
      column.name = fmt::format("{}_{}", base, n);
    }
  }
}

void AddNodes(const TreeNode& node, const std::string& path, std::int64_t depth, Table& table) {
  const std::string own = path.empty() ? node.label : path + ";" + node.label;
  std::vector<Cell> row = {own, node.label, Number(depth)};
  row.insert(row.end(), node.cells.begin(), node.cells.end());
  table.rows.push_back(std::move(row));
  for (const TreeNode& child : node.children) AddNodes(child, own, depth + 1, table);
}

Table TableOf(const Tree& tree) {
  Table table{tree.id, tree.title, {{"path"}, {"label"}, {"depth"}}, {}};
  table.columns.insert(table.columns.end(), tree.columns.begin(), tree.columns.end());
  for (const TreeNode& root : tree.roots) AddNodes(root, "", 0, table);
  return table;
}

Table TableOf(const Timeline& timeline) {
  Table table{timeline.id,
              timeline.title,
              {{"lane"}, {"start", timeline.unit}, {"end", timeline.unit}, {"label"}},
              {}};
  for (const Lane& lane : timeline.lanes) {
    for (const Span& span : lane.spans) {
      table.rows.push_back({lane.name, Number(span.start), Number(span.end), span.label});
    }
  }
  return table;
}

TypedColumn::Texts ToTexts(const TypedColumn& column) {
  return std::visit(
      []<typename Values>(const Values& values) {
        TypedColumn::Texts texts;
        for (const auto& value : values) {
          texts.push_back(value ? std::optional(fmt::format("{}", *value)) : std::nullopt);
        }
        return texts;
      },
      column.values);
}

TypedColumn::Real ToReals(const TypedColumn::Whole& values) {
  TypedColumn::Real reals;
  for (const auto& value : values) {
    reals.push_back(value ? std::optional(static_cast<double>(*value)) : std::nullopt);
  }
  return reals;
}

void Unify(TypedColumn& a, TypedColumn& b) {
  if (a.values.index() == b.values.index()) return;
  for (TypedColumn* column : {&a, &b}) {
    const bool texts = std::holds_alternative<TypedColumn::Texts>(a.values) ||
                       std::holds_alternative<TypedColumn::Texts>(b.values);
    if (texts) {
      column->values = ToTexts(*column);
    } else if (const auto* whole = std::get_if<TypedColumn::Whole>(&column->values)) {
      column->values = ToReals(*whole);
    }
  }
}

void Resize(TypedColumn& column, std::size_t rows) {
  std::visit([rows](auto& values) { values.resize(rows); }, column.values);
}

}  // namespace

TypedTable TypedColumns(const Table& table) {
  TypedTable typed{table.id, {}, table.rows.size()};
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    ColumnParts(table, column).AddTo(typed);
  }
  MakeUnique(typed.columns);
  return typed;
}

std::optional<Table> AsTable(const Block& block) {
  if (const auto* table = std::get_if<Table>(&block)) return *table;
  if (const auto* series = std::get_if<Series>(&block)) return WideTable(*series);
  if (const auto* bars = std::get_if<Bars>(&block)) return LongTable(*bars);
  if (const auto* timeline = std::get_if<Timeline>(&block)) return TableOf(*timeline);
  if (const auto* tree = std::get_if<Tree>(&block)) return TableOf(*tree);
  return std::nullopt;
}

void AppendRows(TypedTable& table, const TypedTable& more) {
  const std::size_t rows = table.rows + more.rows;
  for (TypedColumn added : more.columns) {
    auto own = std::ranges::find(table.columns, added.name, &TypedColumn::name);
    if (own == table.columns.end()) {
      TypedColumn empty{added.name, added.values};
      std::visit([](auto& values) { values.clear(); }, empty.values);
      Resize(empty, table.rows);
      table.columns.push_back(std::move(empty));
      own = table.columns.end() - 1;
    }
    Unify(*own, added);
    std::visit(
        [&]<typename Values>(Values& values) {
          const auto& other = std::get<Values>(added.values);
          values.insert(values.end(), other.begin(), other.end());
        },
        own->values);
  }
  for (TypedColumn& column : table.columns) Resize(column, rows);
  table.rows = rows;
}

void PrependText(TypedTable& table, const std::string& name, const std::string& text) {
  table.columns.insert(table.columns.begin(),
                       {name, TypedColumn::Texts(table.rows, std::optional(text))});
  MakeUnique(table.columns);
}

}  // namespace tare::report
