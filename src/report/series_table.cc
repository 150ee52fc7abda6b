// series_table.cc: the lines of a series as columns of one table.
#include "report/series_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "report/export.h"

namespace tare::report {
namespace {

Measured PointOf(const Line& line, std::size_t i) {
  Measured point;
  point.value = line.y[i];
  if (i < line.low.size() && std::isfinite(line.low[i])) point.low = line.low[i];
  if (i < line.high.size() && std::isfinite(line.high[i])) point.high = line.high[i];
  return point;
}

}  // namespace

Table WideTable(const Series& series) {
  Table table{series.id, series.title, {series.axis}, {}};
  for (const Line& line : series.lines) table.columns.push_back({line.name, line.unit});
  // Keyed by x and by how many earlier points of the line have the same x.
  std::map<std::pair<double, std::size_t>, std::vector<Cell>> rows;
  for (std::size_t column = 0; column < series.lines.size(); ++column) {
    const Line& line = series.lines[column];
    std::map<double, std::size_t> seen;
    for (std::size_t i = 0; i < std::min(line.x.size(), line.y.size()); ++i) {
      if (!std::isfinite(line.x[i]) || !std::isfinite(line.y[i])) continue;
      auto& row = rows[{line.x[i], seen[line.x[i]]++}];
      row.resize(table.columns.size());
      row[0] = Number(line.x[i]);
      row[column + 1] = PointOf(line, i);
    }
  }
  for (auto& [place, row] : rows) table.rows.push_back(std::move(row));
  return table;
}

std::string ToCsv(const Series& series) { return ToCsv(WideTable(series)); }

std::string ToMarkdown(const Series& series) { return ToMarkdown(WideTable(series)); }

}  // namespace tare::report
