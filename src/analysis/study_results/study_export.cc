// study_export.cc: the table of runs, in pieces, so that memory does not grow with them.
#include "analysis/study_results/study_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "analysis/study/case_runner.h"
#include "base/file.h"
#include "report/parquet.h"
#include "report/sqlite_file.h"

namespace tare::study_results {
namespace {

constexpr std::size_t kRowsAtOnce = 20'000;

using report::TypedColumn;
using report::TypedTable;

template <typename Values, typename Get>
TypedColumn MakeColumn(std::string name, std::size_t first, std::size_t last, Get get) {
  Values values;
  values.reserve(last - first);
  for (std::size_t run = first; run < last; ++run) values.push_back(get(run));
  return {std::move(name), std::move(values)};
}

std::string CsvText(const std::string& text) {
  std::string field = text;
  if (!field.empty() && std::string_view("=+-@\t\r").contains(field.front())) {
    field.insert(field.begin(), '\'');
  }
  if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string CsvCell(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "";
}
std::string CsvCell(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}
std::string CsvCell(const std::optional<std::string>& value) {
  return value ? CsvText(*value) : "";
}

// The conditions that the column `conditions` refers to.
TypedTable ConditionTable(const ResultSet& set) {
  TypedTable table{"conditions", {}, 0};
  TypedColumn::Whole numbers;
  TypedColumn::Texts names;
  TypedColumn::Texts values;
  for (std::size_t i = 0; i < set.Stored().conditions.size(); ++i) {
    for (const auto& [name, value] : set.Stored().conditions[i]) {
      numbers.emplace_back(static_cast<std::int64_t>(i) + 1);
      names.emplace_back(name);
      values.emplace_back(value);
      ++table.rows;
    }
  }
  table.columns = {
      {"conditions", std::move(numbers)}, {"name", std::move(names)}, {"value", std::move(values)}};
  return table;
}

// The number that is written like that, so that "3.10" and "007" stay texts.
template <typename Number>
std::optional<Number> WrittenNumber(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || after != end || fmt::format("{}", number) != text) return {};
  return number;
}

}  // namespace

RunTable::RunTable(const ResultSet& set, const std::filesystem::path& results)
    : set_(set), results_(results) {
  std::error_code ignored;
  for (const study::StoredCase& one : set.Stored().cases) {
    const auto files = study::FilesDirectory(results, one.key, 0).parent_path();
    has_files_.push_back(!one.key.empty() && std::filesystem::is_directory(files, ignored));
  }
  for (const std::string& factor : set.Factors()) kinds_.push_back(KindOf(factor));
  std::set<std::string> taken = {"run",         "repetition", "attempt", "started", "state",
                                 "exit_status", "signal",     "seconds", "load",    "conditions",
                                 "changed",     "message",    "files"};
  taken.insert(set.Factors().begin(), set.Factors().end());
  for (std::size_t metric = 0; metric < set.Stored().metrics.size(); ++metric) {
    bool whole = true;
    for (const study::LoadedRun& run : set.Stored().runs) {
      if (metric >= run.values.size() || !run.values[metric]) continue;
      whole = whole && std::holds_alternative<std::int64_t>(*run.values[metric]);
    }
    whole_.push_back(whole);
    std::string name = set.Stored().metrics[metric].name;
    while (!taken.insert(name).second) name = "metric_" + name;
    names_.push_back(std::move(name));
  }
}

RunTable::LevelKind RunTable::KindOf(const std::string& factor) const {
  if (factor == "program" || factor == "input" || factor == "engine") return LevelKind::kText;
  bool any = false;
  bool whole = true;
  bool real = true;
  for (const study::StoredCase& one : set_.Stored().cases) {
    const auto level = one.levels.find(factor);
    if (level == one.levels.end() || level->second.empty()) continue;
    any = true;
    whole = whole && WrittenNumber<std::int64_t>(level->second);
    const auto number = WrittenNumber<double>(level->second);
    real = real && number && std::isfinite(*number);
  }
  if (!any) return LevelKind::kText;
  if (whole) return LevelKind::kWhole;
  return real ? LevelKind::kReal : LevelKind::kText;
}

report::TypedTable RunTable::Rows(std::size_t first, std::size_t last) const {
  const study::StoredStudy& stored = set_.Stored();
  last = std::min(last, stored.runs.size());
  first = std::min(first, last);
  TypedTable table{"runs", {}, last - first};
  const auto whole = [&](const char* name, auto get) {
    table.columns.push_back(MakeColumn<TypedColumn::Whole>(
        name, first, last,
        [&](std::size_t i) -> std::optional<std::int64_t> { return get(stored.runs[i]); }));
  };
  const auto real = [&](const char* name, auto get) {
    table.columns.push_back(MakeColumn<TypedColumn::Real>(
        name, first, last,
        [&](std::size_t i) -> std::optional<double> { return get(stored.runs[i]); }));
  };
  const auto text = [&](const std::string& name, auto get) {
    table.columns.push_back(MakeColumn<TypedColumn::Texts>(
        name, first, last, [&](std::size_t i) -> std::optional<std::string> { return get(i); }));
  };
  using Run = study::LoadedRun;
  whole("run", [](const Run& run) { return run.id; });
  for (std::size_t f = 0; f < set_.Factors().size(); ++f) {
    const std::string& factor = set_.Factors()[f];
    if (factor == "node") continue;  // below, for all runs
    const auto level_of = [&](const Run& run) {
      const auto& levels = stored.cases[run.case_index].levels;
      const auto level = levels.find(factor);
      return level == levels.end() ? std::string() : level->second;
    };
    if (kinds_[f] == LevelKind::kWhole) {
      whole(factor.c_str(),
            [&](const Run& run) { return WrittenNumber<std::int64_t>(level_of(run)); });
    } else if (kinds_[f] == LevelKind::kReal) {
      real(factor.c_str(), [&](const Run& run) { return WrittenNumber<double>(level_of(run)); });
    } else {
      text(factor, [&](std::size_t i) { return level_of(stored.runs[i]); });
    }
  }
  whole("repetition", [](const Run& run) { return run.repetition; });
  whole("attempt", [](const Run& run) { return run.attempt; });
  real("started", [](const Run& run) { return run.started; });
  text("state", [&](std::size_t i) { return std::string(Name(stored.runs[i].state)); });
  const auto number = [](const std::optional<int>& value) -> std::optional<std::int64_t> {
    if (!value) return std::nullopt;
    return *value;
  };
  whole("exit_status", [&](const Run& run) { return number(run.exit_status); });
  whole("signal", [&](const Run& run) { return number(run.signal); });
  real("seconds", [](const Run& run) { return run.seconds; });
  real("load", [](const Run& run) { return run.load; });
  text("node", [&](std::size_t i) { return stored.nodes[stored.runs[i].node]; });
  whole("conditions", [](const Run& run) { return static_cast<std::int64_t>(run.conditions) + 1; });
  text("changed", [&](std::size_t i) { return set_.ChangedIn(i); });
  text("message", [&](std::size_t i) { return stored.runs[i].message; });
  text("files", [&](std::size_t i) -> std::optional<std::string> {
    const Run& run = stored.runs[i];
    if (!has_files_[run.case_index]) return std::nullopt;
    const auto files = study::FilesDirectory({}, stored.cases[run.case_index].key, run.repetition);
    std::error_code ignored;
    if (!std::filesystem::is_directory(results_ / files, ignored)) return std::nullopt;
    return files.string();
  });
  for (std::size_t metric = 0; metric < names_.size(); ++metric) {
    const auto value = [&, metric](const Run& run) -> std::optional<Number> {
      if (metric >= run.values.size()) return std::nullopt;
      return run.values[metric];
    };
    if (whole_[metric]) {
      whole(names_[metric].c_str(), [&](const Run& run) -> std::optional<std::int64_t> {
        const auto number_of = value(run);
        if (!number_of) return std::nullopt;
        return std::get<std::int64_t>(*number_of);
      });
    } else {
      real(names_[metric].c_str(), [&](const Run& run) -> std::optional<double> {
        const auto number_of = value(run);
        if (!number_of) return std::nullopt;
        return AsDouble(*number_of);
      });
    }
  }
  return table;
}

std::string CsvHeader(const report::TypedTable& table) {
  std::string line;
  for (const TypedColumn& column : table.columns) {
    if (!line.empty()) line += ',';
    line += CsvText(column.name);
  }
  return line + '\n';
}

std::string CsvRows(const report::TypedTable& table) {
  std::string lines;
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (c > 0) lines += ',';
      lines += std::visit([row](const auto& values) { return CsvCell(values[row]); },
                          table.columns[c].values);
    }
    lines += '\n';
  }
  return lines;
}

std::string RunsAsCsv(const ResultSet& set, const std::filesystem::path& results) {
  const RunTable runs(set, results);
  std::string text = CsvHeader(runs.Rows(0, 0));
  for (std::size_t row = 0; row < set.Stored().runs.size(); row += kRowsAtOnce) {
    text += CsvRows(runs.Rows(row, row + kRowsAtOnce));
  }
  return text;
}

Result<void> ExportRuns(const ResultSet& set, const std::filesystem::path& results,
                        const std::filesystem::path& path, ExportFormat format) {
  if (format == ExportFormat::kCsv) return WriteFileAtomically(path, RunsAsCsv(set, results));
  const RunTable runs(set, results);
  const std::size_t count = set.Stored().runs.size();
  if (format == ExportFormat::kParquet) {
    TRY(auto writer, report::ParquetWriter::Create(path));
    std::size_t row = 0;
    do {
      TRY_VOID(writer.Add(runs.Rows(row, row + kRowsAtOnce)));
      row += kRowsAtOnce;
    } while (row < count);
    return writer.Finish({{"study", set.Stored().name}});
  }
  TRY(auto file, report::SqliteFile::Create(path));
  std::size_t row = 0;
  do {
    TRY_VOID(file.Add(runs.Rows(row, row + kRowsAtOnce)));
    row += kRowsAtOnce;
  } while (row < count);
  TRY_VOID(file.Add(ConditionTable(set)));
  return file.Finish();
}

}  // namespace tare::study_results
