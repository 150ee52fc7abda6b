// bars_table.cc: bars as a long table for programs and as a wide table for people.
#include "report/bars_table.h"

#include <algorithm>
#include <cmath>

#include "report/export.h"

namespace tare::report {

double DrawnPart(const Measured& measured) {
  const double part = measured.value ? AsDouble(*measured.value) : 0;
  return std::isfinite(part) && part > 0 ? part : 0;
}

Measured TotalOf(const Bar& bar) {
  std::int64_t whole = 0;
  double sum = 0;
  bool exact = true;
  bool any = false;
  bool all = true;
  for (const Measured& value : bar.values) {
    const auto* count = value.value ? std::get_if<std::int64_t>(&*value.value) : nullptr;
    any |= value.value.has_value();
    all = all && value.value.has_value();
    exact = exact && count != nullptr && value.exact && *count >= 0 &&
            !__builtin_add_overflow(whole, *count, &whole);
    sum += DrawnPart(value);
  }
  if (!any) return Absent("none of its parts is known");
  if (exact) return Exact(whole);
  Measured total;
  if (std::isfinite(sum)) total.value = sum;
  if (!total.value) total.reason = "too large to be a number";
  return all ? total : Doubtful(total, "one of its parts is not known");
}

Table LongTable(const Bars& bars) {
  Table table{bars.id, bars.title, {{"bar"}, {"segment"}, {"value", bars.unit}}, {}};
  for (const Bar& bar : bars.bars)
    for (std::size_t i = 0; i < std::min(bar.values.size(), bars.segments.size()); ++i)
      table.rows.push_back({bar.name, bars.segments[i], bar.values[i]});
  return table;
}

Table DotsTable(const Bars& bars) {
  Table table{bars.id, bars.title, {{"name"}}, {}};
  for (const std::string& segment : bars.segments) {
    table.columns.push_back({segment, bars.unit});
    table.columns.back().thing = true;
  }
  for (const Bar& bar : bars.bars) {
    std::vector<Cell> row = {bar.name};
    row.insert(row.end(), bar.values.begin(), bar.values.end());
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table WideTable(const Bars& bars) {
  Table table{bars.id, bars.title, {{"segment"}}, {}};
  for (const Bar& bar : bars.bars) table.columns.push_back({bar.name, bars.unit});
  for (std::size_t i = 0; i < bars.segments.size(); ++i) {
    std::vector<Cell> row = {bars.segments[i]};
    for (const Bar& bar : bars.bars)
      row.push_back(i < bar.values.size() ? Cell(bar.values[i]) : Cell());
    table.rows.push_back(std::move(row));
  }
  std::vector<Cell> sums = {std::string("total")};
  for (const Bar& bar : bars.bars) sums.emplace_back(TotalOf(bar));
  table.rows.push_back(std::move(sums));
  return table;
}

std::string ToCsv(const Bars& bars) { return ToCsv(LongTable(bars)); }

std::string ToMarkdown(const Bars& bars) {
  return ToMarkdown(bars.dots ? DotsTable(bars) : WideTable(bars));
}

}  // namespace tare::report
