// columns.cc: chooses the unit of a column and formats its cells.
#include "report/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "base/units.h"
#include "report/figures.h"
#include "report/short_symbol.h"

namespace tare::report {
namespace {

// Longer names of functions are shortened.
constexpr std::size_t kMaxSymbol = 40;

// A number of the column and the properties that determine its unit.
struct Quantity {
  double value;
  std::optional<std::int64_t> whole;  // an integer that must not lose digits when scaled
  std::string unit;
};

std::optional<Quantity> AsQuantity(const Cell& cell, const Column& column) {
  const auto* measured = std::get_if<Measured>(&cell);
  const auto* bare = std::get_if<Number>(&cell);
  const Number* number = measured != nullptr ? ShownValue(*measured) : bare;
  if (number == nullptr || !std::isfinite(AsDouble(*number))) return std::nullopt;
  Quantity quantity{AsDouble(*number), std::nullopt, column.unit};
  if (measured != nullptr && !measured->unit.empty()) quantity.unit = measured->unit;
  const bool in_full = measured == nullptr || measured->exact;
  if (const auto* whole = std::get_if<std::int64_t>(number); whole != nullptr && in_full) {
    quantity.whole = *whole;
  }
  return quantity;
}

// Text calls no number exact that is doubtful or refused.
bool IsExact(const Measured& measured) {
  return measured.exact && measured.verdict == Verdict::kValid;
}

// A ratio or a percentage of exact counts is rounded when shown, and is not called exact.
bool IsExactCount(const Measured& measured) {
  return IsExact(measured) && measured.value && measured.unit != "%" &&
         std::holds_alternative<std::int64_t>(*measured.value);
}

ScaledUnit OwnUnit(const Quantity& quantity) {
  const ScaledUnit unit = ReadableUnit(quantity.value, quantity.unit);
  if (quantity.whole && !ScaleWhole(*quantity.whole, unit.factor)) return {quantity.unit, 1.0};
  return unit;
}

bool ReadsWellIn(const std::string& symbol, const Quantity& quantity) {
  const auto factor = FactorBetween(quantity.unit, symbol);
  if (!factor) return false;
  if (quantity.whole && !ScaleWhole(*quantity.whole, *factor)) return false;
  const double scaled = std::abs(quantity.value * *factor);
  // Units above seconds are not decimal: a tenth of a century is hard to read.
  const double min = FactorBetween(symbol, "s").value_or(0) > 1 ? 1.0 : 0.1;
  return scaled == 0 || (scaled >= min && scaled < 10000) || OwnUnit(quantity).symbol == symbol;
}

// The smallest unit in which all quantities are readable.
std::optional<std::string> CommonUnit(const std::vector<Quantity>& quantities,
                                      const std::string& column_unit) {
  std::optional<std::string> best;
  std::vector<std::string> tried;
  for (const Quantity& candidate : quantities) {
    if (candidate.value == 0) continue;
    const std::string symbol = OwnUnit(candidate).symbol;
    if (std::ranges::find(tried, symbol) != tried.end()) continue;
    tried.push_back(symbol);
    if (best && FactorBetween(symbol, *best).value_or(1) >= 1) continue;
    const auto well = [&](const Quantity& quantity) { return ReadsWellIn(symbol, quantity); };
    if (std::ranges::all_of(quantities, well)) best = symbol;
  }
  const auto same = [&](const Quantity& quantity) { return quantity.unit == column_unit; };
  if (tried.empty() && std::ranges::all_of(quantities, same)) return column_unit;
  return best;
}

ShownCell ShowCell(const Cell& cell, const Column& column, const std::optional<std::string>& common,
                   bool exact_in_header, Notes& notes) {
  ShownCell shown;
  if (const auto* text = std::get_if<std::string>(&cell)) {
    shown.value = Printable(*text);
    if (column.symbol) shown.value = ShortSymbol(shown.value, kMaxSymbol);
    return shown;
  }
  const auto* measured = std::get_if<Measured>(&cell);
  const auto quantity = AsQuantity(cell, column);
  if (measured != nullptr) {
    shown.mark = notes.MarkOf(*measured);
    if (quantity) shown.verdict = measured->verdict;
  }
  if (!quantity) {
    if (!std::holds_alternative<std::monostate>(cell)) shown.value = "-";
    return shown;
  }
  const ScaledUnit unit =
      common ? ScaledUnit{*common, FactorBetween(quantity->unit, *common).value_or(1)}
             : OwnUnit(*quantity);
  if (!common) shown.unit = Printable(unit.symbol);
  if (measured == nullptr) {
    shown.value = ShowBare(std::get<Number>(cell), unit.factor);
    return shown;
  }
  Figure figure = ShowMeasured(*measured, unit.factor);
  shown.value = std::move(figure.value);
  shown.interval = std::move(figure.interval);
  if (measured->exact) {
    const bool said = exact_in_header || !IsExactCount(*measured);
    shown.interval = said ? "" : "exact";
  }
  return shown;
}

}  // namespace

ShownColumn ShowColumn(const Column& column, std::span<const Cell* const> cells, Notes& notes) {
  std::vector<Quantity> quantities;
  std::size_t measured_cells = 0;
  std::size_t exact_cells = 0;
  std::size_t counts = 0;
  bool text = false;
  bool number = false;
  for (const Cell* cell : cells) {
    text |= std::holds_alternative<std::string>(*cell);
    number |= std::holds_alternative<Number>(*cell) || std::holds_alternative<Measured>(*cell);
    if (auto quantity = AsQuantity(*cell, column)) quantities.push_back(*std::move(quantity));
    const auto* measured = std::get_if<Measured>(cell);
    if (measured == nullptr || ShownValue(*measured) == nullptr) continue;
    ++measured_cells;
    exact_cells += IsExact(*measured) ? 1u : 0u;
    counts += IsExactCount(*measured) ? 1u : 0u;
  }
  const bool all_exact = measured_cells > 0 && exact_cells == measured_cells && !text;
  const bool exact = all_exact && counts == measured_cells;
  std::optional<std::string> common;
  if (!text) common = CommonUnit(quantities, column.unit);

  ShownColumn shown;
  shown.name = Printable(column.name);
  std::ranges::replace(shown.name, '_', ' ');
  if (common) shown.unit = Printable(*common);
  shown.exact = exact;
  shown.derived = all_exact && !exact;
  shown.measured = measured_cells > 0;
  shown.numeric = number && !text;
  shown.below = column.below;
  shown.cells.reserve(cells.size());
  for (const Cell* cell : cells) {
    shown.cells.push_back(ShowCell(*cell, column, common, exact, notes));
  }
  return shown;
}

std::vector<ShownColumn> ShowColumns(const std::vector<Column>& columns,
                                     const std::vector<const std::vector<Cell>*>& rows,
                                     Notes& notes) {
  static const Cell kNothing;
  for (const auto* row : rows) {
    for (const Cell& cell : *row) notes.Meet(cell);
  }
  std::vector<ShownColumn> shown;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::vector<const Cell*> cells;
    cells.reserve(rows.size());
    for (const auto* row : rows) cells.push_back(i < row->size() ? &(*row)[i] : &kNothing);
    shown.push_back(ShowColumn(columns[i], cells, notes));
  }
  return shown;
}

std::string Qualifier(const ShownColumn& column) {
  // The header "min ticks" does not need "(ticks)".
  const bool said = column.unit.empty() || column.name.ends_with(column.unit);
  if (said) return column.exact ? "(exact)" : "";
  return fmt::format("({}{})", column.unit, column.exact ? ", exact" : "");
}

std::string Header(const ShownColumn& column) {
  const std::string qualifier = Qualifier(column);
  return qualifier.empty() ? column.name : fmt::format("{} {}", column.name, qualifier);
}

std::string FlatInFull(const ShownCell& cell, const ShownColumn& column) {
  ShownCell full = cell;
  if (column.numeric && !cell.value.empty() && cell.value != "-") {
    if (cell.unit.empty() && column.unit != column.name) full.unit = column.unit;
    if (column.exact) full.interval = "exact";
  }
  return Flat(full);
}

std::string Flat(const ShownCell& cell) {
  std::string text = cell.value;
  if (!cell.unit.empty()) text += " " + cell.unit;
  text += cell.mark;
  if (!cell.interval.empty()) text += " " + cell.interval;
  return text;
}

}  // namespace tare::report
