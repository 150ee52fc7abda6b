// report_files.cc: inputs and outputs of `tare report`.
#include "cli/commands/report/report_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/file.h"
#include "base/printable.h"
#include "base/special_file.h"
#include "cli/commands/report/report_series.h"
#include "cli/commands/study/study_document.h"
#include "cli/terminal.h"
#include "report/gate_export.h"
#include "report/json.h"
#include "report/parquet.h"
#include "report/sqlite_file.h"
#include "report/svg.h"
#include "report/timing_export.h"

namespace tare::cli {
namespace {

constexpr std::uint64_t kMaxResultBytes = 1u << 30;

struct NamedFormat {
  std::string_view name;
  std::string_view suffix;  // empty: only by name
  ReportFormat format;
};

constexpr std::array kFormats = {
    NamedFormat{"html", ".html", ReportFormat::kHtml},
    NamedFormat{"html", ".htm", ReportFormat::kHtml},
    NamedFormat{"svg", ".svg", ReportFormat::kSvg},
    NamedFormat{"sqlite", ".sqlite", ReportFormat::kSqlite},
    NamedFormat{"sqlite", ".db", ReportFormat::kSqlite},
    NamedFormat{"parquet", ".parquet", ReportFormat::kParquet},
    NamedFormat{"google-benchmark", "", ReportFormat::kGoogleBenchmark},
    NamedFormat{"hyperfine", "", ReportFormat::kHyperfine},
    NamedFormat{"junit", ".xml", ReportFormat::kJUnit},
    NamedFormat{"github", "", ReportFormat::kGithub},
};

Result<report::TypedTable> TableFor(const ReportRequest& request,
                                    std::span<const report::PageResult> results) {
  std::vector<std::string> ids;
  std::vector<report::TypedTable> parts;
  for (const report::PageResult& result : results) {
    for (const report::Block& block : result.document.blocks) {
      const auto table = report::AsTable(block);
      if (!table || table->rows.empty()) continue;
      if (std::ranges::find(ids, table->id) == ids.end()) ids.push_back(table->id);
      if (!request.block.empty() && table->id != request.block) continue;
      parts.push_back(report::TypedColumns(*table));
      if (results.size() > 1) report::PrependText(parts.back(), "file", result.name);
    }
  }
  if (parts.empty() || (request.block.empty() && ids.size() > 1)) {
    const std::string tables = fmt::format("{}", fmt::join(ids, ", "));
    return Fail(
        ErrorKind::kUsage,
        parts.empty() && request.block.empty() ? "the results have no table"
        : request.block.empty()
            ? fmt::format("a Parquet file holds one table; name it with --figure: {}", tables)
            : fmt::format("there is no table '{}'; the tables are {}", Printable(request.block),
                          tables));
  }
  report::TypedTable whole = std::move(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) report::AppendRows(whole, parts[i]);
  return whole;
}

Result<void> WriteParquetReport(const ReportRequest& request,
                                std::span<const report::PageResult> results) {
  const bool traces = std::ranges::all_of(
      request.files, [](const std::string& file) { return IsSeriesFile(file); });
  if (traces && request.block.empty() && request.files.size() == 1) {
    return WriteSeriesParquet(request.files.front(), request.output);
  }
  TRY(const report::TypedTable table, TableFor(request, results));
  return report::WriteParquet(request.output, table,
                              {{"tare.table", table.name},
                               {"tare.machine", results.front().document.provenance.machine},
                               {"tare.time", results.front().document.provenance.time}});
}

Result<void> WriteSqliteReport(const ReportRequest& request,
                               std::span<const report::PageResult> results) {
  TRY(report::SqliteFile file, report::SqliteFile::Create(request.output));
  TRY_VOID(report::AddResults(file, results));
  std::size_t traces = 0;
  for (const std::string& name : request.files) {
    if (!IsSeriesFile(name)) continue;
    const std::string table = ++traces == 1 ? "records" : fmt::format("records_{}", traces);
    TRY_VOID(AddSeriesRecords(name, table, file));
  }
  return file.Finish();
}

Result<std::string> TextReport(const ReportRequest& request,
                               std::span<const report::PageResult> results) {
  switch (request.format) {
    case ReportFormat::kGoogleBenchmark:
      return report::ToGoogleBenchmark(results);
    case ReportFormat::kHyperfine:
      return report::ToHyperfine(results);
    case ReportFormat::kJUnit:
      return report::ToJUnit(results);
    case ReportFormat::kGithub:
      return report::ToGithubAnnotations(results);
    case ReportFormat::kSvg:
      if (results.size() > 1) {
        return Fail(ErrorKind::kUsage, "an SVG file has one plot of one result; name one file");
      }
      return report::ToSvg(results.front().document, request.block);
    default:
      return report::ToHtml(results);
  }
}

}  // namespace

bool IsSeriesFile(const std::filesystem::path& file) {
  const std::string start = StartOfFile(file, 1);
  return !start.empty() && start != "{" && format::SeriesReader::Open(file).has_value();
}

Result<report::PageResult> ReadResult(const std::string& file, std::size_t max_points) {
  if (IsStudy(file)) {
    TRY(auto document, ReadStudyDocument(file));
    return report::PageResult{file, std::move(document)};
  }
  if (IsSeriesFile(file)) return ReadSeriesResult(file, max_points);
  TRY(const std::string text, ReadFile(file, kMaxResultBytes));
  auto document = report::FromJson(text);
  if (!document) {
    const std::string& why = document.error().message;
    return Fail(document.error().kind,
                fmt::format("{}: {}{}", Printable(file), why,
                            why.starts_with("not a ") ? "; tare report reads results saved with "
                                                        "--save or --json, series of tare "
                                                        "trace -o, and studies"
                                                      : ""));
  }
  return report::PageResult{file, *std::move(document)};
}

Result<ReportFormat> FormatFor(const std::string& name, const std::string& output) {
  for (const NamedFormat& row : kFormats) {
    if (!name.empty() && row.name == name) return row.format;
    if (name.empty() && !row.suffix.empty() && output.ends_with(row.suffix)) return row.format;
  }
  if (output.empty()) return ReportFormat::kHtml;
  return Fail(ErrorKind::kUsage,
              fmt::format("the suffix of '{}' names no format; use .html, .svg, .sqlite, .parquet "
                          "or .xml, or give --format",
                          Printable(output)));
}

Result<std::uint64_t> WriteReport(const ReportRequest& request,
                                  std::span<const report::PageResult> results) {
  if (request.format == ReportFormat::kParquet) {
    TRY_VOID(WriteParquetReport(request, results));
  } else if (request.format == ReportFormat::kSqlite) {
    TRY_VOID(WriteSqliteReport(request, results));
  } else {
    TRY(const std::string text, TextReport(request, results));
    if (request.output == "-") {
      TRY_VOID(WriteOutput(text));
      return text.size();
    }
    TRY_VOID(WriteFileAtomically(request.output, text));
  }
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(request.output, ignored);
  return ignored ? 0 : bytes;
}

}  // namespace tare::cli
