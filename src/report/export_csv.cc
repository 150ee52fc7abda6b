// export_csv.cc: tables as CSV for spreadsheets and scripts.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/printable.h"
#include "report/export.h"
#include "report/figures.h"

namespace tare::report {
namespace {

// Makes text printable but keeps line feeds and tabs.
std::string Safe(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    safe += Printable(text.substr(0, end));
    if (end < text.size()) safe += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return safe;
}

std::string Field(std::string_view text) {
  std::string safe = Safe(text);
  if (safe.find_first_of("=+-@\t") == 0) safe.insert(0, 1, '\'');
  if (safe.find_first_of(",\"\n") == std::string::npos) return safe;
  std::string quoted = "\"";
  for (const char c : safe) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string InFull(const Number& number) {
  return std::visit([](auto value) { return fmt::format("{}", value); }, number);
}

std::string InFull(const std::optional<double>& bound) {
  return bound ? fmt::format("{}", *bound) : "";
}

const Measured* AsMeasured(const Cell& cell) { return std::get_if<Measured>(&cell); }

std::string ValueOf(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return Field(*text);
  if (const auto* number = std::get_if<Number>(&cell)) return InFull(*number);
  const Measured* measured = AsMeasured(cell);
  const Number* value = measured != nullptr ? ShownValue(*measured) : nullptr;
  return value != nullptr ? InFull(*value) : "";
}

// A column of the CSV file, derived from a column of the table.
struct Source {
  std::string header;
  std::size_t column;
  std::function<std::string(const Cell&)> field;
};

void AddSources(const Table& table, std::size_t column, std::vector<Source>& sources) {
  bool low = false;
  bool high = false;
  bool unit = !table.columns[column].unit.empty();
  bool verdict = false;
  bool any = false;
  for (const auto& row : table.rows) {
    const Measured* measured = column < row.size() ? AsMeasured(row[column]) : nullptr;
    if (measured == nullptr) continue;
    any = true;
    low |= measured->low.has_value();
    high |= measured->high.has_value();
    unit |= !measured->unit.empty();
    verdict |= measured->verdict != Verdict::kValid;
  }
  const std::string& name = table.columns[column].name;
  const auto add = [&](bool used, const char* suffix, const auto& part) {
    if (!used) return;
    sources.push_back({Field(name + suffix), column, [part](const Cell& cell) -> std::string {
                         const Measured* measured = AsMeasured(cell);
                         return measured == nullptr ? "" : part(*measured);
                       }});
  };
  sources.push_back({Field(name), column, ValueOf});
  add(low, "_low", [](const Measured& measured) { return InFull(measured.low); });
  add(high, "_high", [](const Measured& measured) { return InFull(measured.high); });
  add(unit && any, "_unit", [common = table.columns[column].unit](const Measured& measured) {
    return Field(measured.unit.empty() ? common : measured.unit);
  });
  add(verdict, "_verdict",
      [](const Measured& measured) { return std::string(Name(measured.verdict)); });
}

}  // namespace

std::string ToCsv(const Table& table) {
  std::vector<Source> sources;
  for (std::size_t i = 0; i < table.columns.size(); ++i) AddSources(table, i, sources);
  std::string text;
  const auto add_line = [&](auto field) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (i > 0) text += ',';
      text += field(sources[i]);
    }
    text += "\n";
  };
  add_line([](const Source& source) { return source.header; });
  for (const auto& row : table.rows) {
    add_line([&](const Source& source) {
      return source.column < row.size() ? source.field(row[source.column]) : "";
    });
  }
  return text;
}

}  // namespace tare::report
