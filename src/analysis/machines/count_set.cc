// count_set.cc: detects the kind of a file and names its rows.
#include "analysis/machines/count_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/machines/count_document.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/printable.h"
#include "report/json.h"

namespace tare::machines {
namespace {

constexpr auto kColumns = std::to_array<std::string_view>({"benchmark", "machine", "run", "count"});

// The rows of one file. Rows of a document have the engine as machine until NameMachines.
struct FileRows {
  std::optional<std::string> machine;  // of a document
  std::vector<CountRow> rows;
};

bool IsJson(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Result<std::string> NameAt(const CsvTable& table, std::size_t row, std::size_t column) {
  const std::string_view name = Trimmed(table.Cell(row, column));
  if (!name.empty()) return std::string(name);
  return Fail(ErrorKind::kFormat, fmt::format("{}, column {}: the cell is empty", table.Place(row),
                                              table.Columns()[column]));
}

Result<FileRows> ReadTable(const CountFile& file) {
  FileRows read;
  TRY(const auto table, ParseCsv(file.text, file.name, kColumns));
  TRY(const auto columns, table.FindColumns(kColumns));
  for (std::size_t i = 0; i < table.Rows(); ++i) {
    CountRow row;
    TRY(row.benchmark, NameAt(table, i, columns[0]));
    TRY(row.machine, NameAt(table, i, columns[1]));
    TRY(row.run, NameAt(table, i, columns[2]));
    TRY(row.count.whole, table.WholeNumber(i, columns[3]));
    if (row.count.whole < 0) {
      return Fail(ErrorKind::kFormat,
                  fmt::format("{}, column count: {} is negative", table.Place(i), row.count.whole));
    }
    row.place = table.Place(i);
    read.rows.push_back(std::move(row));
  }
  read.rows.back().doubt = table.CutDoubt();
  return read;
}

Result<FileRows> ReadDocument(const CountFile& file, std::string_view metric) {
  const std::string name = Printable(file.name);
  const auto document = report::FromJson(file.text);
  if (!document) {
    return Fail(document.error().kind, fmt::format("{}: {}", name, document.error().message));
  }
  FileRows read{document->provenance.machine, {}};
  TRY(read.rows, RowsOf(*document, metric, name));
  return read;
}

// Uses engines as names if there is one machine, and machines if there is one engine.
void NameMachines(std::vector<FileRows>& files) {
  std::set<std::optional<std::string_view>> machines;  // absent for CSV files
  std::set<std::string_view> engines;
  for (const FileRows& file : files) {
    machines.insert(file.machine);
    if (!file.machine) continue;
    for (const CountRow& row : file.rows) engines.insert(row.machine);
  }
  if (machines.size() == 1) return;
  const bool several = engines.size() > 1;
  for (FileRows& file : files) {
    if (!file.machine) continue;
    for (CountRow& row : file.rows) {
      row.machine = several ? *file.machine + " " + row.machine : *file.machine;
    }
  }
}

Result<void> RefuseDuplicates(const CountSet& set) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, const CountRow*> seen;
  for (const CountRow& row : set.rows) {
    const auto [place, is_new] = seen.try_emplace({row.benchmark, row.machine, row.run}, &row);
    if (is_new) continue;
    return Fail(
        ErrorKind::kFormat,
        fmt::format("{}: run {} of {} on {} is already in {}", row.place, Printable(row.run),
                    Printable(row.benchmark), Printable(row.machine), place->second->place));
  }
  return {};
}

}  // namespace

Result<CountSet> JoinCounts(std::span<const CountFile> files, std::string_view metric) {
  std::vector<FileRows> read;
  std::map<std::string_view, std::string_view> texts;
  for (const CountFile& file : files) {
    if (!IsJson(file.text)) {
      TRY(auto table, ReadTable(file));
      read.push_back(std::move(table));
      continue;
    }
    const auto [same, is_new] = texts.try_emplace(file.text, file.name);
    if (!is_new) {
      return Fail(ErrorKind::kFormat, fmt::format("{} and {} are the same document",
                                                  Printable(same->second), Printable(file.name)));
    }
    TRY(auto document, ReadDocument(file, metric));
    // Every document has its own runs.
    for (CountRow& row : document.rows) row.run = fmt::format("document {}", read.size() + 1);
    read.push_back(std::move(document));
  }
  NameMachines(read);
  CountSet set;
  for (FileRows& file : read) {
    std::ranges::move(file.rows, std::back_inserter(set.rows));
  }
  TRY_VOID(RefuseDuplicates(set));
  return set;
}

Result<CountSet> ReadCounts(std::span<const std::filesystem::path> paths, std::string_view metric) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 20;
  if (paths.empty()) {
    return Fail(ErrorKind::kUsage,
                "no files to compare; give documents of tare count --save, or CSV with the columns "
                "benchmark, machine, run and count");
  }
  std::vector<CountFile> files;
  for (const auto& path : paths) {
    TRY(auto text, ReadFile(path, kMaxBytes));
    files.push_back({path.string(), std::move(text)});
  }
  return JoinCounts(files, metric);
}

}  // namespace tare::machines
