// report_series.cc: reads the records of a trace in groups.
#include "cli/commands/report/report_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/printable.h"
#include "cli/application.h"
#include "cli/commands/trace/trace_tables.h"
#include "cli/sources.h"
#include "report/parquet.h"

namespace tare::cli {
namespace {

constexpr std::size_t kGroupCells = 1u << 20;

report::TypedTable EmptyRecords(const format::SeriesHead& head) {
  report::TypedTable table{"records", {}, 0};
  const auto add = [&](const std::string& name) {
    table.columns.push_back({name, report::TypedColumn::Whole{}});
  };
  add(fmt::format("time_{}", Printable(head.clock)));
  for (const format::Channel& channel : head.channels) add(Printable(channel.name));
  return table;
}

report::TypedColumn::Whole& WholeOf(report::TypedColumn& column) {
  return std::get<report::TypedColumn::Whole>(column.values);
}

void AppendChunk(const format::RecordColumns& chunk, report::TypedTable& table) {
  auto& times = WholeOf(table.columns[0]);
  for (const std::uint64_t time : chunk.Times()) times.push_back(static_cast<std::int64_t>(time));
  for (std::size_t channel = 0; channel + 1 < table.columns.size(); ++channel) {
    auto& values = WholeOf(table.columns[channel + 1]);
    for (std::size_t record = 0; record < chunk.Records(); ++record) {
      values.push_back(channel < chunk.Channels() ? chunk.Value(record, channel) : std::nullopt);
    }
  }
  table.rows += chunk.Records();
}

// Calls `take` with groups of records. The file is read twice, the first time for channels that
// were added during the run.
Result<void> ForEachGroup(const std::string& file,
                          const std::function<Result<void>(const report::TypedTable&)>& take) {
  TRY(auto first, format::SeriesReader::Open(file));
  while (first.Next() != nullptr) {
  }
  const report::TypedTable empty = EmptyRecords(first.Head());
  TRY(auto reader, format::SeriesReader::Open(file));
  report::TypedTable group = empty;
  bool taken = false;
  while (const format::RecordColumns* chunk = reader.Next()) {
    AppendChunk(*chunk, group);
    if (group.rows * group.columns.size() < kGroupCells) continue;
    TRY_VOID(take(group));
    taken = true;
    group = empty;
  }
  if (group.rows == 0 && taken) return {};
  return take(group);
}

}  // namespace

Result<report::PageResult> ReadSeriesResult(const std::string& file, std::size_t max_points) {
  report::PageResult result{file, {}};
  result.document.version = Version();
  result.document.command = "trace";
  result.document.title = fmt::format("Vertical trace {}", Printable(file));
  TraceView view;
  view.all = true;
  view.max_points = max_points;
  TRY_VOID(ShowTrace(file, view, result.document));
  AddSources(result.document);
  for (const report::Block& block : result.document.blocks) {
    if (!std::holds_alternative<report::Series>(block)) continue;
    result.document.blocks.emplace_back(report::Text{
        "reduction",
        "Each point of a plot is the mean of the records around it; the band is from the smallest "
        "to the largest of them, so that no extreme is lost."});
    break;
  }
  return result;
}

Result<void> WriteSeriesParquet(const std::string& file, const std::filesystem::path& output) {
  TRY(auto writer, report::ParquetWriter::Create(output));
  TRY_VOID(ForEachGroup(file, [&](const report::TypedTable& group) { return writer.Add(group); }));
  return writer.Finish({{"tare.table", "records"}, {"tare.file", Printable(file)}});
}

Result<void> AddSeriesRecords(const std::string& file, const std::string& table,
                              report::SqliteFile& database) {
  return ForEachGroup(file, [&](const report::TypedTable& group) {
    report::TypedTable named = group;
    named.name = table;
    return database.Add(named);
  });
}

}  // namespace tare::cli
