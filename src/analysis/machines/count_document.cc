// count_document.cc: reads the cells of the tables counts and spread as numbers.
#include "analysis/machines/count_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>

#include "base/near_match.h"
#include "base/printable.h"
#include "report/table_cells.h"

namespace tare::machines {
namespace {

constexpr std::int64_t kMaxRuns = 1'000'000'000;

// The number, whatever its verdict; null if it is absent or refused.
const Measured* NumberAt(const std::vector<report::Cell>& row, std::size_t column) {
  const auto* measured = std::get_if<Measured>(&row[column]);
  const bool usable =
      measured != nullptr && measured->value && measured->verdict != Verdict::kRefused;
  return usable ? measured : nullptr;
}

std::optional<CountValue> ValueOf(const Number& number) {
  if (const auto* whole = std::get_if<std::int64_t>(&number)) {
    return *whole >= 0 ? std::optional(CountValue{*whole, 0}) : std::nullopt;
  }
  const double value = std::get<double>(number);
  if (!(value >= 0) || value >= 0x1p63) return std::nullopt;
  const double whole = std::floor(value);
  return CountValue{static_cast<std::int64_t>(whole), value - whole};
}

std::optional<double> SpreadOf(const report::Document& document, std::string_view engine,
                               std::string_view metric) {
  const report::Table* table = report::FindTable(document, "spread");
  if (table == nullptr) return std::nullopt;
  const auto engines = report::FindColumn(*table, "engine");
  const auto metrics = report::FindColumn(*table, "metric");
  const auto deviations = report::FindColumn(*table, "sd");
  if (!engines || !metrics || !deviations) return std::nullopt;
  for (const auto& row : table->rows) {
    if (report::TextAt(row, *engines) != engine || report::TextAt(row, *metrics) != metric)
      continue;
    if (const Measured* sd = NumberAt(row, *deviations)) return AsDouble(*sd->value);
  }
  return std::nullopt;
}

// The standard deviation over the runs, from whichever field has it.
std::optional<double> DeviationOf(const report::Document& document, const Measured& mean,
                                  std::int64_t runs, std::string_view engine,
                                  std::string_view metric, const Measured* variation) {
  if (runs == 1 || mean.exact) return 0;
  if (const auto spread = SpreadOf(document, engine, metric)) return spread;
  // The column cv is that of the instructions.
  if (metric == "instructions" && variation != nullptr) {
    return AsDouble(*variation->value) * AsDouble(*mean.value);
  }
  if (runs == 2 && mean.low && mean.high) return (*mean.high - *mean.low) / std::numbers::sqrt2;
  return std::nullopt;
}

std::unexpected<Error> NoMetric(const report::Table& table, std::string_view metric,
                                std::string_view name) {
  std::vector<std::string_view> known;
  for (const report::Column& column : table.columns) known.push_back(column.name);
  return Fail(ErrorKind::kFormat,
              fmt::format("{} has no counts of {}{}", name, metric, DidYouMean(metric, known)));
}

// The engine, and the processor that it models: two models are two machines.
std::string MachineOf(const report::Document& document, const std::string& engine) {
  const auto& settings = document.provenance.settings;
  const auto machine = settings.find("machine");
  if (engine != "virtual" || machine == settings.end()) return engine;
  return fmt::format("{} {}", engine, machine->second);
}

// The number of a modelled event, such as l2-data-misses; null if there is none.
const Measured* ModelledEvent(const report::Document& document, std::string_view metric) {
  const report::Table* table = report::FindTable(document, "virtual");
  if (table == nullptr || table->columns.size() < 2) return nullptr;
  for (const auto& row : table->rows) {
    if (report::TextAt(row, 0) == metric) return NumberAt(row, 1);
  }
  return nullptr;
}

// The only row of a modelled event; its model repeats exactly.
Result<std::vector<CountRow>> ModelledRow(const report::Document& document, const Measured& event,
                                          std::string_view metric, std::string_view name) {
  CountRow counts;
  counts.machine = MachineOf(document, "virtual");
  counts.place = fmt::format("{}, {}", name, Printable(counts.machine));
  counts.benchmark = BenchmarkOf(document);
  const auto value = ValueOf(*event.value);
  if (!value) {
    return Fail(ErrorKind::kFormat,
                fmt::format("{}: expected a count of {} from 0 to 2^63", counts.place, metric));
  }
  counts.count = *value;
  counts.runs = 1;
  counts.deviation = 0;
  if (event.verdict == Verdict::kDoubtful) counts.doubt = event.reason;
  return std::vector<CountRow>{counts};
}

// Absent for engines without a count.
Result<std::optional<CountRow>> RowOf(const report::Document& document,
                                      const std::vector<report::Cell>& row,
                                      const report::Table& table, std::string_view metric,
                                      std::string_view name) {
  const std::string engine = report::TextAt(row, *report::FindColumn(table, "engine"));
  const Measured* mean = NumberAt(row, *report::FindColumn(table, metric));
  if (mean == nullptr) return std::nullopt;
  CountRow counts;
  counts.machine = MachineOf(document, engine);
  counts.place = fmt::format("{}, engine {}", name, Printable(engine));
  const auto* runs = std::get_if<Number>(&row[*report::FindColumn(table, "runs")]);
  const auto* whole = runs != nullptr ? std::get_if<std::int64_t>(runs) : nullptr;
  const auto value = ValueOf(*mean->value);
  if (whole == nullptr || *whole < 1 || *whole > kMaxRuns || !value) {
    return Fail(ErrorKind::kFormat,
                fmt::format("{}: expected a count from 0 to 2^63, over 1 to {} runs", counts.place,
                            kMaxRuns));
  }
  counts.count = *value;
  counts.runs = *whole;
  const auto cv = report::FindColumn(table, "cv");
  const auto deviation =
      DeviationOf(document, *mean, counts.runs, engine, metric, cv ? NumberAt(row, *cv) : nullptr);
  if (!deviation || !(*deviation >= 0) || !std::isfinite(*deviation)) {
    return Fail(ErrorKind::kFormat,
                fmt::format("{}: the spread of {} over the runs is not saved; count again with "
                            "--json",
                            counts.place, metric));
  }
  counts.deviation = *deviation;
  // The deviation already expresses that a program varies between runs.
  if (mean->verdict == Verdict::kDoubtful && counts.deviation == 0) counts.doubt = mean->reason;
  return counts;
}

}  // namespace

std::string BenchmarkOf(const report::Document& document) {
  const auto& words = document.provenance.command_line;
  const auto dashes = std::ranges::find(words, "--");
  if (dashes == words.end() || dashes + 1 == words.end()) return document.title;
  std::string name = std::filesystem::path(*(dashes + 1)).filename().string();
  for (auto word = dashes + 2; word != words.end(); ++word) name += " " + *word;
  const auto& settings = document.provenance.settings;
  const auto region = settings.find("region");
  if (region != settings.end()) name += fmt::format(" (in {})", region->second);
  if (settings.contains("children")) name += " (with children)";
  return name;
}

Result<std::vector<CountRow>> RowsOf(const report::Document& document, std::string_view metric,
                                     std::string_view name) {
  const report::Table* table = report::FindTable(document, "counts");
  if (document.command != "count" || table == nullptr) {
    return Fail(ErrorKind::kFormat,
                fmt::format("{} is a document of tare {} without counts; save counts with: tare "
                            "count --save FILE -- PROGRAM",
                            name, Printable(document.command)));
  }
  if (!report::FindColumn(*table, metric)) {
    if (const Measured* event = ModelledEvent(document, metric)) {
      return ModelledRow(document, *event, metric, name);
    }
  }
  const bool whole = report::FindColumn(*table, "engine") && report::FindColumn(*table, "runs");
  if (!whole || !report::FindColumn(*table, metric)) return NoMetric(*table, metric, name);
  std::vector<CountRow> rows;
  for (const auto& cells : table->rows) {
    TRY(auto row, RowOf(document, cells, *table, metric, name));
    if (!row) continue;
    row->benchmark = BenchmarkOf(document);
    rows.push_back(std::move(*row));
  }
  if (rows.empty()) {
    return Fail(ErrorKind::kFormat, fmt::format("{}: no engine counted {}", name, metric));
  }
  return rows;
}

}  // namespace tare::machines
