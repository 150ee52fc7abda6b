// collected_table.cc: reads Documents of runs, joins their rows, selects and spreads them.
#include "analysis/study_results/collected_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "analysis/study/case_runner.h"
#include "analysis/study_results/group_summary.h"
#include "base/file.h"
#include "base/printable.h"
#include "report/json.h"
#include "report/names.h"
#include "report/table_cells.h"

namespace tare::study_results {
namespace {

constexpr std::uint64_t kMaxDocumentBytes = 64 << 20;
constexpr std::size_t kMaxProblems = 20;

struct PlacedColumn {
  std::size_t index;
  std::string part;  // "low", "high", "verdict" or nothing
};

// A column may itself have a dot in its name.
std::optional<PlacedColumn> PlaceOf(const report::Table& table, std::string_view name) {
  if (const auto index = report::FindColumn(table, name)) return PlacedColumn{*index, ""};
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string part(name.substr(dot + 1));
  if (part != "low" && part != "high" && part != "verdict") return std::nullopt;
  const auto index = report::FindColumn(table, name.substr(0, dot));
  if (!index) return std::nullopt;
  return PlacedColumn{*index, part};
}

std::string ShownNumber(const Number& number) {
  if (const auto* whole = std::get_if<std::int64_t>(&number)) return std::to_string(*whole);
  return fmt::format("{}", std::get<double>(number));
}

// The index of the column in the table, which gets it if it has none of this name.
std::size_t ColumnFor(const report::Column& column, report::Table& table) {
  if (const auto known = report::FindColumn(table, column.name)) return *known;
  table.columns.push_back(column);
  for (auto& row : table.rows) row.resize(table.columns.size());
  return table.columns.size() - 1;
}

// A column of a Document that has the name of a factor gets another.
report::Column Apart(report::Column column, const std::vector<std::string>& taken) {
  while (std::ranges::find(taken, column.name) != taken.end()) column.name += "_";
  return column;
}

void AddDocument(const report::Table& from, const std::vector<std::string>& taken,
                 const std::vector<report::Cell>& place, report::Table& table) {
  std::vector<std::size_t> columns;
  for (const report::Column& column : from.columns) {
    columns.push_back(ColumnFor(Apart(column, taken), table));
  }
  for (const auto& row : from.rows) {
    std::vector<report::Cell> joined = place;
    joined.resize(table.columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) joined[columns[i]] = row[i];
    table.rows.push_back(std::move(joined));
  }
}

void AddProblem(std::string problem, std::vector<std::string>& problems) {
  if (problems.size() < kMaxProblems) problems.push_back(std::move(problem));
}

// Calls `use` with the Document of each run that left one.
void ForEachDocument(const ResultSet& set, const std::string& file,
                     const std::filesystem::path& results, std::vector<std::string>& problems,
                     auto use) {
  for (const ResultCase& one : set.Cases()) {
    for (const std::size_t run : one.runs) {
      const study::LoadedRun& stored = set.Stored().runs[run];
      const std::string& key = set.Stored().cases[stored.case_index].key;
      const auto directory = study::FilesDirectory(results, key, stored.repetition);
      std::error_code ignored;
      // Programs of a study may leave files of other names, or none.
      if (!std::filesystem::exists(directory, ignored)) continue;
      const auto path = directory / file;
      if (!std::filesystem::exists(path, ignored)) continue;
      const auto text = ReadFile(path, kMaxDocumentBytes);
      if (!text) {
        AddProblem(text.error().message, problems);
        continue;
      }
      const auto document = report::FromJson(*text);
      if (!document) {
        AddProblem(InFile(path, document.error()).message, problems);
        continue;
      }
      // A program can write any.
      if (const std::string fault = report::NameFault(*document); !fault.empty()) {
        AddProblem(fmt::format("{}: {}", Printable(path.string()), fault), problems);
        continue;
      }
      use(one, stored.repetition, *document);
    }
  }
}

std::vector<report::Cell> LevelsAsCells(const ResultCase& one) {
  return {one.levels.begin(), one.levels.end()};
}

void CollectDocuments(const ResultSet& set, const study::RowSource& source,
                      const std::filesystem::path& results, CollectedTable& collected) {
  collected.table.columns.push_back({"run"});
  std::vector<std::string> taken = set.Factors();
  taken.emplace_back("run");
  bool several = false;
  const ResultCase* last = nullptr;
  const auto add = [&](const ResultCase& one, std::int64_t run, const report::Document& document) {
    const report::Table* table = report::FindTable(document, source.table);
    if (table == nullptr) return;
    ++collected.files;
    several = several || last == &one;
    last = &one;
    auto place = LevelsAsCells(one);
    place.emplace_back(Number(run));
    AddDocument(*table, taken, place, collected.table);
  };
  ForEachDocument(set, source.file, results, collected.problems, add);
  const std::size_t column = set.Factors().size();
  collected.first_column = column + (several ? 1 : 0);
  if (several) return;
  collected.table.columns.erase(collected.table.columns.begin() +
                                static_cast<std::ptrdiff_t>(column));
  for (auto& row : collected.table.rows) {
    row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
}

void CollectCases(const ResultSet& set, CollectedTable& collected) {
  const auto& metrics = set.Stored().metrics;
  for (const study::StoredMetric& metric : metrics) {
    collected.table.columns.push_back({metric.name, metric.unit});
    collected.table.columns.back().thing = true;
  }
  for (std::size_t i = 0; i < set.Cases().size(); ++i) {
    const ResultCase& one = set.Cases()[i];
    if (one.runs.empty()) continue;
    auto row = LevelsAsCells(one);
    for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
      const GroupValues values = ValuesOf(set, {{}, {i}}, metric);
      if (values.values.empty()) {
        row.emplace_back();
      } else {
        row.emplace_back(CentreOf(values.values, false, 0.95, set.DoubtOf(values.runs, metric)));
      }
    }
    collected.table.rows.push_back(std::move(row));
  }
}

}  // namespace

bool HasColumn(const report::Table& table, std::string_view column) {
  return PlaceOf(table, column).has_value();
}

std::optional<Number> NumberOf(const report::Table& table, const std::vector<report::Cell>& row,
                               std::string_view column) {
  const auto place = PlaceOf(table, column);
  if (!place) return std::nullopt;
  const report::Cell& cell = row[place->index];
  if (const auto* number = std::get_if<Number>(&cell)) {
    if (place->part == "verdict") return std::nullopt;
    return *number;
  }
  if (const auto* measured = std::get_if<Measured>(&cell)) {
    if (place->part == "verdict" || !measured->value) return std::nullopt;
    if (place->part.empty()) return *measured->value;
    // A number that cannot vary is its own interval.
    const auto& end = place->part == "low" ? measured->low : measured->high;
    if (end) return Number(*end);
    return measured->low || measured->high ? std::nullopt : std::optional(*measured->value);
  }
  const auto* text = std::get_if<std::string>(&cell);
  if (text == nullptr || text->empty()) return std::nullopt;
  // Levels of factors are texts.
  double number = 0;
  const char* end = text->data() + text->size();
  const auto [after, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || after != end) return std::nullopt;
  return Number(number);
}

std::string TextOf(const report::Table& table, const std::vector<report::Cell>& row,
                   std::string_view column) {
  const auto place = PlaceOf(table, column);
  if (!place) return "";
  const report::Cell& cell = row[place->index];
  if (place->part == "verdict") {
    const auto* measured = std::get_if<Measured>(&cell);
    if (measured == nullptr || !measured->value) return "";
    return std::string(Name(measured->verdict));
  }
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  const auto number = NumberOf(table, row, column);
  return number ? ShownNumber(*number) : "";
}

report::Cell CellOf(const report::Table& table, const std::vector<report::Cell>& row,
                    std::string_view column) {
  const auto place = PlaceOf(table, column);
  if (!place) return {};
  if (place->part.empty()) return row[place->index];
  if (const auto number = NumberOf(table, row, column)) return *number;
  return TextOf(table, row, column);
}

void AddColumns(std::span<const study::DerivedColumn> columns, report::Table& table) {
  for (const study::DerivedColumn& derived : columns) {
    std::vector<report::Cell> cells;
    for (const auto& row : table.rows) {
      std::vector<std::optional<Number>> values;
      for (const std::string& name : derived.expression.Names()) {
        values.push_back(NumberOf(table, row, name));
      }
      const auto value = derived.expression.Value(values);
      cells.push_back(value ? report::Cell(*value) : report::Cell());
    }
    report::Column added{derived.name};
    added.thing = true;
    const std::size_t column = ColumnFor(added, table);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      table.rows[i].resize(table.columns.size());
      table.rows[i][column] = std::move(cells[i]);
    }
  }
}

void FinishRows(const study::RowSource& source, CollectedTable& collected) {
  report::Table& table = collected.table;
  AddColumns(source.derived, table);
  std::erase_if(table.rows, [&](const std::vector<report::Cell>& row) {
    return std::ranges::any_of(source.where, [&](const auto& wanted) {
      return std::ranges::find(wanted.second, TextOf(table, row, wanted.first)) ==
             wanted.second.end();
    });
  });
}

CollectedTable CollectRows(const ResultSet& set, const study::RowSource& source,
                           const std::filesystem::path& results) {
  CollectedTable collected;
  for (const std::string& factor : set.Factors()) {
    collected.table.columns.push_back({factor});
    collected.table.columns.back().thing = true;
  }
  if (source.file.empty()) {
    CollectCases(set, collected);
    collected.first_column = set.Factors().size();
  } else {
    CollectDocuments(set, source, results, collected);
  }
  FinishRows(source, collected);
  return collected;
}

CollectedPlots CollectPlots(const ResultSet& set, const study::RowSource& source,
                            std::span<const std::string> ids,
                            const std::filesystem::path& results) {
  CollectedPlots collected;
  const auto is_selected = [&](const ResultCase& one) {
    for (std::size_t f = 0; f < set.Factors().size(); ++f) {
      const auto wanted = source.where.find(set.Factors()[f]);
      if (wanted == source.where.end()) continue;
      if (std::ranges::find(wanted->second, one.levels[f]) == wanted->second.end()) return false;
    }
    return true;
  };
  const auto add = [&](const ResultCase& one, std::int64_t run, const report::Document& document) {
    if (!is_selected(one)) return;
    const std::size_t before = collected.plots.size();
    for (const std::string& id : ids) {
      for (const report::Block& block : document.blocks) {
        const bool is_it = std::visit([&](const auto& part) { return part.id == id; }, block);
        if (is_it) collected.plots.push_back({one.levels, run, block});
      }
    }
    if (collected.plots.size() > before) ++collected.files;
  };
  ForEachDocument(set, source.file, results, collected.problems, add);
  return collected;
}

std::vector<RowGroup> GroupRows(const report::Table& table, std::span<const std::string> by) {
  std::vector<RowGroup> groups;
  std::map<std::vector<std::string>, std::size_t> known;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<std::string> texts;
    for (const std::string& column : by) texts.push_back(TextOf(table, table.rows[i], column));
    const auto [found, fresh] = known.try_emplace(texts, groups.size());
    if (fresh) groups.push_back({std::move(texts), {}});
    groups[found->second].rows.push_back(i);
  }
  return groups;
}

report::Table Spread(const report::Table& table, std::span<const std::string> by,
                     const std::string& across, const std::string& value) {
  report::Table spread;
  for (const std::string& column : by) spread.columns.push_back({column});
  const auto place = PlaceOf(table, value);
  for (const RowGroup& group : GroupRows(table, by)) {
    std::vector<report::Cell> row(group.texts.begin(), group.texts.end());
    row.resize(spread.columns.size());
    for (const std::size_t index : group.rows) {
      report::Column column{TextOf(table, table.rows[index], across)};
      if (column.name.empty()) continue;
      if (place && place->part != "verdict") column.unit = table.columns[place->index].unit;
      column.thing = true;
      const std::size_t at = ColumnFor(Apart(column, {by.begin(), by.end()}), spread);
      row.resize(spread.columns.size());
      row[at] = CellOf(table, table.rows[index], value);
    }
    spread.rows.push_back(std::move(row));
  }
  return spread;
}

}  // namespace tare::study_results
