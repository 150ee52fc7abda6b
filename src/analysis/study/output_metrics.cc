// output_metrics.cc: patterns, JSON pointers and tables of Documents.
#include "analysis/study/output_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <regex>
#include <string>

#include "base/json_value.h"
#include "base/printable.h"
#include "report/document.h"
#include "report/json.h"
#include "report/table_cells.h"

namespace tare::study {
namespace {

// The expressions of the standard library need stack for each character that they match.
constexpr std::size_t kMaxLine = 4096;

Result<Number> NumberIn(std::string_view text, const OutputMetric& metric) {
  const auto first = text.find_first_not_of(" \t");
  if (first != std::string_view::npos) text.remove_prefix(first);
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto [after, error] = std::from_chars(text.data(), end, whole);
      error == std::errc() && after == end && !text.empty()) {
    return Number(whole);
  }
  double real = 0;
  if (const auto [after, error] = std::from_chars(text.data(), end, real);
      error == std::errc() && after == end && std::isfinite(real)) {
    return Number(real);
  }
  return Fail(ErrorKind::kFormat, fmt::format("metric {}: '{}' is not a number", metric.name,
                                              Printable(text.substr(0, 40))));
}

Result<Number> ByPattern(const OutputMetric& metric, std::string_view output) {
  std::optional<std::string> found;
  // The standard library reports expressions that need too much work by an exception.
  try {
    const std::regex pattern(metric.pattern);
    while (!output.empty()) {
      const std::size_t end = std::min(output.find('\n'), output.size());
      const std::string line(output.substr(0, std::min(end, kMaxLine)));
      std::smatch match;
      if (std::regex_search(line, match, pattern) && match.size() > 1) found = match[1].str();
      output.remove_prefix(std::min(end + 1, output.size()));
    }
  } catch (const std::regex_error& error) {
    return Fail(ErrorKind::kFormat, fmt::format("metric {}: {}", metric.name, error.what()));
  }
  if (!found) {
    return Fail(ErrorKind::kFormat, fmt::format("metric {}: no line of the output matches {}",
                                                metric.name, Printable(metric.pattern)));
  }
  return NumberIn(*found, metric);
}

// RFC 6901, without the escapes ~0 and ~1.
Result<Number> AtPointer(const JsonValue& value, std::string_view pointer) {
  if (pointer.empty()) return value.Figure();
  pointer.remove_prefix(1);
  const std::size_t end = std::min(pointer.find('/'), pointer.size());
  const std::string name(pointer.substr(0, end));
  pointer.remove_prefix(end);
  if (!value.IsList()) {
    TRY(const JsonValue field, value.Field(name.c_str()));
    return AtPointer(field, pointer);
  }
  std::size_t wanted = 0;
  const auto [after, error] = std::from_chars(name.data(), name.data() + name.size(), wanted);
  if (error != std::errc() || after != name.data() + name.size()) {
    return value.Refuse(fmt::format("is a list and has no field '{}'", Printable(name)));
  }
  std::size_t index = 0;
  std::optional<Number> found;
  TRY_VOID(value.ForEach([&](const JsonValue& item) -> Result<void> {
    if (index++ != wanted) return {};
    TRY(found, AtPointer(item, pointer));
    return {};
  }));
  if (!found) return value.Refuse(fmt::format("has fewer than {} items", wanted + 1));
  return *found;
}

Result<Number> InDocument(const OutputMetric& metric, const report::Document& document) {
  const auto fail = [&](const std::string& why) {
    return Fail(ErrorKind::kFormat, fmt::format("metric {}: {}", metric.name, why));
  };
  const report::Table* table = report::FindTable(document, metric.table);
  if (table == nullptr) {
    return fail(fmt::format("the output has no table '{}'", Printable(metric.table)));
  }
  const auto column = report::FindColumn(*table, metric.column);
  if (!column) {
    return fail(fmt::format("table {} has no column '{}'", metric.table, Printable(metric.column)));
  }
  std::optional<std::size_t> where;
  if (!metric.where_column.empty()) {
    where = report::FindColumn(*table, metric.where_column);
    if (!where) {
      return fail(
          fmt::format("table {} has no column '{}'", metric.table, Printable(metric.where_column)));
    }
  }
  for (const auto& row : table->rows) {
    if (where && report::TextAt(row, *where) != metric.where_text) continue;
    const report::Cell& cell = row[*column];
    if (const auto* number = std::get_if<Number>(&cell)) return *number;
    if (const auto* measured = std::get_if<Measured>(&cell)) {
      if (measured->value) return *measured->value;
      return fail(fmt::format("there is no value: {}", measured->reason));
    }
    if (const auto* text = std::get_if<std::string>(&cell)) return NumberIn(*text, metric);
    return fail("the cell is empty");
  }
  return fail(fmt::format("no row of table {} is selected", metric.table));
}

}  // namespace

std::vector<OutputMetric> MetricsOfProgram(const Study& study, const std::string& program) {
  std::vector<OutputMetric> metrics;
  for (const OutputMetric& metric : study.output_metrics) {
    if (metric.from == OutputMetric::From::kExpression) continue;
    if (metric.programs.empty() ||
        std::ranges::find(metric.programs, program) != metric.programs.end()) {
      metrics.push_back(metric);
    }
  }
  return metrics;
}

Result<std::vector<MetricValue>> ReadMetrics(const std::vector<OutputMetric>& metrics,
                                             std::string_view output) {
  std::vector<MetricValue> values;
  std::optional<JsonFile> json;
  std::optional<report::Document> document;
  for (const OutputMetric& metric : metrics) {
    MetricValue value{metric.name, metric.unit, {}};
    if (metric.from == OutputMetric::From::kPattern) {
      TRY(value.value, ByPattern(metric, output));
    } else if (metric.from == OutputMetric::From::kJson) {
      if (!json) {
        TRY(json, JsonFile::Parse(output, "JSON file"));
      }
      TRY(value.value, AtPointer(json->Root(), metric.pattern));
    } else {
      if (!document) {
        TRY(document, report::FromJson(output));
      }
      TRY(value.value, InDocument(metric, *document));
    }
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace tare::study
