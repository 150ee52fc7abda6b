// report.cc: `tare report`: results as a page, a plot or a file for other tools.
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <map>
#include <optional>

#include "base/file.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/report/report_files.h"
#include "cli/commands/study/study_document.h"
#include "cli/commands/trace/trace_tables.h"
#include "cli/result_files.h"
#include "cli/terminal.h"
#include "report/page_server.h"

namespace tare::cli {
namespace {

struct ReportOptions {
  std::string output;
  std::string format;
  std::string svg;
  std::string figure;
  bool serve = false;
  std::optional<std::int64_t> port;
};

constexpr auto kReportFormats = std::to_array<std::string_view>(
    {"html", "svg", "sqlite", "parquet", "google-benchmark", "hyperfine", "junit", "github"});
constexpr std::string_view kDefaultPage = "report.html";

const auto kReportFlags = std::to_array<Flag<ReportOptions>>({
    {{"-o,--html", "FILE", "write to FILE (default: report.html)"}, &ReportOptions::output},
    {{"--format", "FORMAT", "format of FILE (default: by its suffix)", kReportFormats},
     &ReportOptions::format},
    {{"--svg", "FILE", "write a plot of the result to FILE"}, &ReportOptions::svg},
    {{"--figure", "ID", "the plot for SVG (default: the first), or the table for Parquet"},
     &ReportOptions::figure},
    {{"--serve", "", "serve the page on this machine, with live updates, until ^C"},
     &ReportOptions::serve},
    {{"--port", "N", "port for --serve (default: any free one)"}, &ReportOptions::port},
});

constexpr std::array kReportExamples = {
    Example{"tare report check.json -o check.html", "a saved result as a page"},
    Example{"tare report before.json after.json -o both.html",
            "several results in one page; those of the same command side by side"},
    Example{"tare report run.series -o run.html", "a vertical trace"},
    Example{"tare report --serve run.series", "watch a trace while it is recorded"},
    Example{"tare report --serve study.toml", "watch a study while it runs"},
    Example{"tare report compare.json --format junit -o gate.xml", "a gate for CI"},
    Example{"tare report run.series -o run.parquet", "all records, for pandas or DuckDB"},
};

// A file that tare did not write is not replaced unless it was named.
Result<void> CheckDefaultPage() {
  const std::filesystem::path page(kDefaultPage);
  if (!std::filesystem::exists(page)) return {};
  const auto start = ReadFile(page, 1u << 30);
  if (start && report::IsPage(*start)) return {};
  return Fail(
      ErrorKind::kUsage,
      fmt::format("{} exists and is not a report of tare; name a file with -o", kDefaultPage));
}

Result<void> CheckReportOptions(const ReportOptions& options) {
  const bool names_file = !options.output.empty() || !options.svg.empty();
  if (options.serve && (names_file || !options.format.empty())) {
    return Fail(ErrorKind::kUsage, "--serve writes no file; remove -o, --svg and --format");
  }
  if (!options.svg.empty() && (!options.output.empty() || !options.format.empty())) {
    return Fail(ErrorKind::kUsage, "--svg writes only the plot; remove -o and --format");
  }
  if (options.port && !options.serve) {
    return Fail(ErrorKind::kUsage, "--port is for --serve; add --serve");
  }
  if (options.port && (*options.port < 0 || *options.port > 65535)) {
    return Fail(ErrorKind::kUsage, "--port: expected a number from 0 to 65535");
  }
  return CheckDirectory(options.output);
}

// What changes when a file does.
std::string StampOf(const std::string& operand) {
  std::string stamp;
  const auto files =
      IsStudy(operand) ? StoredFilesOf(operand) : std::vector<std::filesystem::path>{operand};
  for (const std::filesystem::path& file : files) {
    struct stat status{};
    if (::stat(file.c_str(), &status) != 0) {
      stamp += "-";
      continue;
    }
    stamp += fmt::format("{}.{}.{}.{} ", status.st_ino, status.st_size, status.st_mtim.tv_sec,
                         status.st_mtim.tv_nsec);
  }
  return stamp;
}

// Reads files again when they change, and keeps the last readable state of each.
class LiveResults {
 public:
  explicit LiveResults(std::vector<std::string> files) : files_(std::move(files)) {}

  report::ServedData Refresh() {
    bool changed = served_.version.empty();
    for (const std::string& file : files_) {
      const std::string stamp = StampOf(file);
      if (stamps_[file] == stamp) continue;
      stamps_[file] = stamp;
      auto result = ReadResult(file, kPagePoints);
      problems_[file] = result ? "" : Printable(result.error().message);
      if (result) results_[file] = *std::move(result);
      changed = true;
    }
    if (changed) Pack();
    return served_;
  }

 private:
  void Pack() {
    std::vector<report::PageResult> shown;
    std::string waiting;
    for (const std::string& file : files_) {
      if (const auto found = results_.find(file); found != results_.end()) {
        shown.push_back(found->second);
      }
      if (!problems_[file].empty()) {
        waiting += (waiting.empty() ? "" : "; ") + problems_[file];
      }
    }
    auto payload = report::PagePayload(shown);
    if (!payload) return;
    // Header fields are ASCII.
    for (char& c : waiting) {
      if (c < ' ' || c > '~') c = '?';
    }
    served_ = {*std::move(payload), fmt::format("{}", ++versions_), waiting};
  }

  std::vector<std::string> files_;
  std::map<std::string, std::string> stamps_, problems_;
  std::map<std::string, report::PageResult> results_;
  report::ServedData served_;
  std::uint64_t versions_ = 0;
};

Result<Outcome> ServeReport(const ReportOptions& options, const Session& session) {
  TRY(auto server, report::PageServer::Open(static_cast<std::uint16_t>(options.port.value_or(0))));
  // Also with --quiet: without its address the server is of no use.
  WriteErrors(fmt::format("tare report: open {} in a browser; ^C ends\n", server.Address()));
  LiveResults live(session.operands);
  TRY_VOID(server.Serve([&live] { return live.Refresh(); }, session.interrupted));
  Outcome outcome;
  outcome.document.title = "Report";
  outcome.document.blocks.emplace_back(
      report::Text{"answer", fmt::format("Served {} until the end.", server.Address())});
  return outcome;
}

report::Table InputTable(std::span<const report::PageResult> results) {
  report::Table table{
      "results", "Results in the report", {{"file"}, {"command"}, {"title"}, {"caveats"}}, {}};
  for (const report::PageResult& result : results) {
    table.rows.push_back({Printable(result.name), result.document.command, result.document.title,
                          report::Cell(Number(std::ssize(result.document.caveats)))});
  }
  return table;
}

Result<Outcome> RunReport(const ReportOptions& given, Session& session) {
  TRY_VOID(CheckReportOptions(given));
  ReportOptions options = given;
  if (!options.svg.empty()) {
    options.output = options.svg;
    options.format = "svg";
  }
  if (options.serve) return ServeReport(options, session);
  if (options.output.empty() && options.format.empty()) TRY_VOID(CheckDefaultPage());
  ReportRequest request{session.operands, ReportFormat::kHtml, options.output, options.figure};
  TRY(request.format, FormatFor(options.format, options.output));
  if (request.output.empty()) {
    if (request.format != ReportFormat::kHtml) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--format {} needs a file: -o FILE, or -o - for standard output",
                              options.format));
    }
    request.output = kDefaultPage;
  }
  const bool to_output = request.output == "-";
  const bool is_binary =
      request.format == ReportFormat::kSqlite || request.format == ReportFormat::kParquet;
  if (to_output && (is_binary || session.discards_output)) {
    return Fail(ErrorKind::kUsage, is_binary ? "databases and Parquet files need a name: -o FILE"
                                             : "standard output is for one thing: remove -o -, or "
                                               "--json, --csv and --markdown");
  }
  std::vector<report::PageResult> results;
  for (std::size_t i = 0; i < session.operands.size(); ++i) {
    if (!session.progress(static_cast<double>(i) / static_cast<double>(session.operands.size()),
                          session.operands[i])) {
      return Stopped();
    }
    TRY(auto result, ReadResult(session.operands[i], kPagePoints));
    results.push_back(std::move(result));
  }
  TRY(const std::uint64_t bytes, WriteReport(request, results));

  Outcome outcome;
  outcome.beside_program = to_output;
  const std::string where = to_output ? "standard output" : Printable(request.output);
  outcome.document.title = "Report";
  outcome.document.blocks.emplace_back(report::Text{
      "answer",
      fmt::format("{} result{} written to {}.{}", results.size(),
                  results.size() == 1 ? " is" : "s are", where,
                  request.format == ReportFormat::kHtml ? " Open it in a browser." : "")});
  outcome.document.blocks.emplace_back(InputTable(results));
  outcome.document.blocks.emplace_back(
      report::Table{"output",
                    "File",
                    {{"file"}, {"size", "B"}},
                    {{where, Exact(static_cast<std::int64_t>(bytes))}}});
  return outcome;
}

}  // namespace

Command ReportCommand() {
  CommandText text{
      "report", "write results as one page for a browser, or in other tools' formats",
      "Reads results that other commands saved with --save or --json, series of tare trace -o, and "
      "studies (their file or results), and writes one HTML file with plots and tables. The file "
      "needs no network and opens in any "
      "current browser. Results of the same command are also shown side by side.\n\n"
      "With --serve, nothing is written: the page is served on the loopback address, under an "
      "address with a secret token, and follows the files while they change.\n\n"
      "Other formats: svg (one plot), sqlite and parquet (tables, and all records of series), "
      "google-benchmark and hyperfine (times of tare compare), junit and github (verdicts and "
      "gates for CI).",
      kReportExamples, false};
  text.operands = {"RESULT...", 1, 1000};
  return MakeCommand<ReportOptions>(text, kReportFlags, RunReport);
}

}  // namespace tare::cli
