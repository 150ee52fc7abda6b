// study_report.cc: `tare study report`, `diff` and `export`: what the results say.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>
#include <variant>

#include "analysis/study/local_executor.h"
#include "analysis/study_results/study_export.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "cli/application.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/study/study_document.h"
#include "cli/commands/study/study_options.h"
#include "cli/commands/study/study_tables.h"
#include "cli/result_files.h"
#include "cli/sources.h"
#include "cli/terminal.h"

namespace tare::cli {
namespace {

using study_results::ResultSet;

const auto kStudyReportFlags = std::to_array<Flag<StudyOptions>>({
    {{"--results", "DIRECTORY", "directory of the results (default: FILE with .results)"},
     &StudyOptions::results},
});

constexpr std::array kStudyReportExamples = {
    Example{"tare study report compressors.toml", "the tables that the file asks for"},
    Example{"tare study report --html report.html compressors.toml", "as a page"},
};

// A study with everything that is stored of it. The schedule refers to the opened study, which
// therefore stays where it is.
struct ReadStudyResults {
  std::unique_ptr<const OpenedStudy> opened;
  ResultSet set;
  study::RunSchedule schedule;
};

Result<ReadStudyResults> ReadResults(const std::string& operand, const std::string& results) {
  TRY(auto found, OpenStudyOrResults(operand, results));
  auto opened = std::make_unique<const OpenedStudy>(std::move(found));
  TRY(const auto store, study::StudyStore::OpenToRead(opened->results));
  TRY(auto set, LoadResults(*opened, true));
  study::RunSchedule schedule(opened->study, opened->cases);
  TRY_VOID(study::AddStoredRuns(opened->study, opened->cases, store, schedule));
  return ReadStudyResults{std::move(opened), std::move(set), std::move(schedule)};
}

report::Document StudyDocument(const ReadStudyResults& read, AnalysisExtent extent) {
  const OpenedStudy& opened = *read.opened;
  report::Document document;
  document.title = opened.study.report_title.empty() ? fmt::format("Study {}", opened.study.name)
                                                     : opened.study.report_title;
  if (!opened.study.description.empty()) {
    document.blocks.emplace_back(report::Text{"description", opened.study.description});
  }
  AddAnalyses(opened, read.schedule, read.set, extent, document);
  document.blocks.emplace_back(
      report::Text{"progress", StudyProgressText(read.schedule, read.set)});
  AddCaveats(document, StudyCaveats(opened, read.set, read.schedule));
  document.provenance.seed = opened.study.seed;
  return document;
}

Result<Outcome> RunStudyReport(const StudyOptions& options, Session& session) {
  TRY(const auto read, ReadResults(session.operands.front(), options.results));
  const OpenedStudy& opened = *read.opened;
  return MakeOutcome(session, [&](bool all) -> Result<Outcome> {
    Outcome outcome;
    outcome.document = StudyDocument(read, {all || session.verbose, all});
    const report::Document& document = outcome.document;
    outcome.details = {"results"};
    for (const report::Block& block : document.blocks) {
      if (std::holds_alternative<report::Table>(block)) continue;
      if (std::holds_alternative<report::Text>(block)) continue;
      outcome.details.push_back(std::visit([](const auto& part) { return part.id; }, block));
    }
    // The self-test of this machine says nothing about others.
    if (read.set.Stored().nodes == std::vector{ThisNode()}) {
      for (const study::StudyEngine& engine : opened.study.engines) {
        if (engine.name != "time") outcome.sources.push_back(engine.name);
      }
    }
    return outcome;
  });
}

struct StudyDiffOptions {
  std::string metric;
  std::string detect;
};

const auto kStudyDiffFlags = std::to_array<Flag<StudyDiffOptions>>({
    {{"--metric", "NAME", "compare this metric (default: those of the first study)"},
     &StudyDiffOptions::metric},
    {{"--detect", "PERCENT", "below this difference, cases are equal (default: 1%)"},
     &StudyDiffOptions::detect},
});

constexpr std::array kStudyDiffExamples = {
    Example{"tare study diff old.results new.results", "what changed between two studies"},
    Example{"tare study diff --detect 5% before.toml after.toml", "differences above 5 %"},
};

std::vector<std::string> DiffMetrics(const StudyDiffOptions& options, const OpenedStudy& first) {
  if (!options.metric.empty()) return {options.metric};
  if (!first.study.metrics.empty()) return first.study.metrics;
  std::vector<std::string> metrics;
  for (const study::OutputMetric& metric : first.study.output_metrics) {
    metrics.push_back(metric.name);
  }
  if (metrics.empty()) metrics.emplace_back("wall");
  metrics.emplace_back("instructions");
  return metrics;
}

// A metric that neither study has would compare nothing.
Result<void> RequireMetric(const std::string& metric, const ResultSet& before,
                           const ResultSet& after) {
  if (metric.empty() || (before.MetricIndex(metric) && after.MetricIndex(metric))) return {};
  std::vector<std::string_view> known;
  for (const study::StoredMetric& one : before.Stored().metrics) {
    if (after.MetricIndex(one.name)) known.push_back(one.name);
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("--metric {}: not both studies have this metric{}", Printable(metric),
                          DidYouMeanOrAll(metric, known, "both have")));
}

std::string DiffAnswer(const study_results::StudyDifference& difference) {
  std::size_t changed = 0;
  std::size_t equal = 0;
  for (const study_results::CaseDifference& row : difference.rows) {
    const bool differs =
        row.answer == compare::Answer::kFaster || row.answer == compare::Answer::kSlower;
    changed += differs ? 1u : 0u;
    equal += row.answer == compare::Answer::kEqual ? 1u : 0u;
  }
  const bool none =
      difference.rows.empty() && !difference.only_before.empty() && !difference.only_after.empty();
  std::string text =
      none
          ? "The studies have no case with a result in common."
          : fmt::format("{} of {} compared values differ, {} are equal, {} are undecided.", changed,
                        difference.rows.size(), equal, difference.rows.size() - changed - equal);
  if (!difference.only_before.empty()) {
    text += fmt::format(" Only in the first study: {}.",
                        Counted(difference.only_before.size(), "case"));
  }
  if (!difference.only_after.empty()) {
    text += fmt::format(" Only in the second study: {}.",
                        Counted(difference.only_after.size(), "case"));
  }
  return text;
}

Result<Outcome> RunStudyDiff(const StudyDiffOptions& options, Session& session) {
  double detect = 0.01;
  if (!options.detect.empty()) {
    const auto percent = study::ParsePercent(options.detect);
    if (!percent) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--detect {}: expected a percentage above 0 and below 100",
                              Printable(options.detect)));
    }
    detect = *percent;
  }
  TRY(const auto first, OpenStudyOrResults(session.operands[0], ""));
  TRY(const auto second, OpenStudyOrResults(session.operands[1], ""));
  for (const OpenedStudy* opened : {&first, &second}) {
    TRY_VOID(study::StudyStore::OpenToRead(opened->results));
  }
  TRY(const ResultSet before, LoadResults(first, true));
  TRY(const ResultSet after, LoadResults(second, true));
  TRY_VOID(RequireMetric(options.metric, before, after));
  const auto difference = study_results::CompareStudies(before, after, DiffMetrics(options, first),
                                                        detect, first.study.confidence);
  Outcome outcome;
  report::Document& document = outcome.document;
  document.title = fmt::format("{} and {}", first.study.name, second.study.name);
  document.blocks.emplace_back(report::Text{"answer", DiffAnswer(difference)});
  document.blocks.emplace_back(StudyDifferenceTable(difference));
  if (!difference.only_before.empty() || !difference.only_after.empty()) {
    report::Table table{"only",
                        "Cases in one study only",
                        FactorColumns(difference.factors, difference.factors),
                        {}};
    table.columns.push_back({"study"});
    const auto add = [&](const std::vector<std::vector<std::string>>& cases, const char* which) {
      for (const auto& levels : cases) {
        std::vector<report::Cell> row(levels.begin(), levels.end());
        row.emplace_back(std::string(which));
        table.rows.push_back(std::move(row));
      }
    };
    add(difference.only_before, "first");
    add(difference.only_after, "second");
    document.blocks.emplace_back(std::move(table));
  }
  SeparateColumns(document);
  std::vector<Caveat> caveats;
  for (const std::string& fact : difference.conditions) {
    caveats.push_back({CaveatId::kConditionsChanged, fact});
  }
  AddCaveats(document, caveats);
  return outcome;
}

struct StudyExportOptions : StudyOptions {
  std::string output;
  std::string format;
};

constexpr auto kStudyFormats = std::to_array<std::string_view>({"csv", "parquet", "sqlite"});

const auto kStudyExportFlags = std::to_array<Flag<StudyExportOptions>>({
    {{"-o,--output", "FILE", "write all runs to FILE; - is standard output, for CSV (default: -)"},
     &StudyExportOptions::output},
    {{"--format", "FORMAT", "format of FILE (default: by its suffix)", kStudyFormats},
     &StudyExportOptions::format},
    {{"--results", "DIRECTORY", "directory of the results (default: FILE with .results)"},
     &StudyExportOptions::results},
});

constexpr std::array kStudyExportExamples = {
    Example{"tare study export compressors.toml > runs.csv", "one row for each run"},
    Example{"tare study export -o runs.parquet compressors.toml", "for pandas or DuckDB"},
};

Result<study_results::ExportFormat> FormatOf(const StudyExportOptions& options) {
  using study_results::ExportFormat;
  std::string name = options.format;
  if (name.empty()) {
    const std::string suffix = std::filesystem::path(options.output).extension().string();
    if (options.output.empty() || options.output == "-" || suffix == ".csv") name = "csv";
    if (suffix == ".parquet") name = "parquet";
    if (suffix == ".sqlite" || suffix == ".db") name = "sqlite";
  }
  if (name == "csv") return ExportFormat::kCsv;
  if (name == "parquet") return ExportFormat::kParquet;
  if (name == "sqlite") return ExportFormat::kSqlite;
  return Fail(ErrorKind::kUsage,
              fmt::format("the suffix of '{}' names no format; use .csv, .parquet or .sqlite, or "
                          "give --format",
                          Printable(options.output)));
}

Result<Outcome> RunStudyExport(const StudyExportOptions& options, Session& session) {
  TRY(const auto format, FormatOf(options));
  const bool to_standard = options.output.empty() || options.output == "-";
  if (to_standard && format != study_results::ExportFormat::kCsv) {
    return Fail(ErrorKind::kUsage, "databases and Parquet files need a name: -o FILE");
  }
  if (!to_standard) TRY_VOID(CheckDirectory(options.output));
  const auto results = study::ResultsOf(session.operands.front(), options.results);
  TRY(auto stored, study::LoadWhatCanBeRead(results));
  if (stored.name.empty()) {
    stored.name = std::filesystem::absolute(results).lexically_normal().stem().string();
  }
  const ResultSet set(std::move(stored));
  if (to_standard) {
    TRY_VOID(WriteOutput(study_results::RunsAsCsv(set, results)));
  } else {
    TRY_VOID(study_results::ExportRuns(set, results, options.output, format));
  }
  Outcome outcome;
  outcome.beside_program = to_standard;
  report::Document& document = outcome.document;
  document.title = fmt::format("Runs of study {}", set.Stored().name);
  std::string answer = fmt::format("{} of {}", Counted(set.Stored().runs.size(), "run"),
                                   Counted(set.Cases().size(), "case"));
  answer += to_standard ? "." : fmt::format(" are in {}.", Printable(options.output));
  if (set.Stored().damaged) {
    const std::size_t lost = set.Stored().unreadable_runs;
    answer += lost == 0 ? " The database is damaged; how many runs are missing is not known."
                        : fmt::format(" The database is damaged: at least {} cannot be read.",
                                      Counted(lost, "run"));
  }
  document.blocks.emplace_back(report::Text{"answer", answer});
  report::Table table{"output", "Exported", {{"file"}, {"runs"}, {"unreadable"}, {"damaged"}}, {}};
  table.rows.push_back({to_standard ? std::string("-") : options.output,
                        Number(static_cast<std::int64_t>(set.Stored().runs.size())),
                        Number(static_cast<std::int64_t>(set.Stored().unreadable_runs)),
                        std::string(set.Stored().damaged ? "yes" : "no")});
  document.blocks.emplace_back(std::move(table));
  outcome.not_in_text = {"output"};
  if (set.Stored().damaged) {
    AddCaveats(document, std::vector<Caveat>{{CaveatId::kIncomplete, "the database is damaged"}});
  }
  return outcome;
}

}  // namespace

bool IsStudy(const std::string& operand) {
  std::error_code ignored;
  return operand.ends_with(".toml") || std::filesystem::is_directory(operand, ignored);
}

std::vector<std::filesystem::path> StoredFilesOf(const std::string& operand) {
  const auto results = study::ResultsOf(operand, "");
  const std::string database = study::kDatabaseName;
  return {results / database, results / (database + "-wal")};
}

Result<report::Document> ReadStudyDocument(const std::string& operand) {
  TRY(const auto read, ReadResults(operand, ""));
  report::Document document = StudyDocument(read, {true, true});
  document.version = Version();
  document.command = "study report";
  AddSources(document);
  return document;
}

Command StudyReportCommand() {
  return MakeCommand<StudyOptions>(
      {"study report",
       "show what the results of a study say",
       "Makes the analyses that the study file asks for: medians by group, comparisons of levels, "
       "errors of predictions, deviations of nodes. FILE is the study file, or the directory of "
       "its results.",
       kStudyReportExamples,
       false,
       {"FILE", 1, 1}},
      kStudyReportFlags, RunStudyReport);
}

Command StudyDiffCommand() {
  return MakeCommand<StudyDiffOptions>(
      {"study diff",
       "compare the results of two studies case by case",
       "Compares cases with the same levels of their factors. The runs were not made in turn, so a "
       "change of the machine between the studies shows as a change of the programs; conditions "
       "that differ are stated.",
       kStudyDiffExamples,
       false,
       {"FIRST SECOND", 2, 2}},
      kStudyDiffFlags, RunStudyDiff);
}

Command StudyExportCommand() {
  return MakeCommand<StudyExportOptions>(
      {"study export",
       "write all runs of a study as CSV, Parquet or SQLite",
       "One row for each run: its case, state, conditions and metrics, and what changed in its "
       "conditions. Of a damaged database, everything that can be read is written.",
       kStudyExportExamples,
       false,
       {"FILE", 1, 1}},
      kStudyExportFlags, RunStudyExport);
}

}  // namespace tare::cli
