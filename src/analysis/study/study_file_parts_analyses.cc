// study_file_parts_analyses.cc: analyses and report of a study file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "analysis/study/study_file_parts.h"
#include "analysis/study/study_metrics.h"
#include "base/near_match.h"
#include "base/printable.h"

namespace tare::study {
namespace {

using Kind = AnalysisRequest::Kind;

struct AnalysisRow {
  Kind kind;
  std::string_view name;
};
constexpr auto kAnalyses = std::to_array<AnalysisRow>({
    {Kind::kGroups, "groups"},
    {Kind::kCompare, "compare"},
    {Kind::kProxy, "proxy"},
    {Kind::kPerturb, "perturb"},
    {Kind::kPredict, "predict"},
    {Kind::kMachines, "machines"},
    {Kind::kDeviations, "deviations"},
    {Kind::kTables, "tables"},
    {Kind::kSummary, "summary"},
    {Kind::kFit, "fit"},
    {Kind::kPlot, "plot"},
});

Result<SelectedMetric> ReadSelected(const TomlTable& table, std::string_view key,
                                    const Study& study) {
  SelectedMetric selected;
  if (!table.Has(key)) return table.FailHere(fmt::format("'{}' is missing", key));
  if (table.IsText(key)) {
    TRY(const auto metric, table.Text(key));
    selected.metric = *metric;
    const std::vector<std::string> metrics = {selected.metric};
    TRY_VOID(RequireMetrics(table, key, metrics, study));
    return selected;
  }
  TRY(const auto inner, table.Table(key));
  TRY(const auto metric, inner->Text("metric"));
  if (!metric) return inner->FailHere("'metric' is missing");
  selected.metric = *metric;
  const std::vector<std::string> metrics = {selected.metric};
  TRY_VOID(RequireMetrics(*inner, "metric", metrics, study));
  TRY(selected.levels, ReadLevels(*inner, study, "metric"));
  return selected;
}

Result<double> Percent(const TomlTable& table, std::string_view key, double otherwise) {
  TRY(const auto text, table.Text(key));
  if (!text) return otherwise;
  const auto percent = ParsePercent(*text);
  if (!percent) {
    return table.FailAtKey(key, fmt::format("{} must be a percentage, such as \"1%\"", key));
  }
  return *percent;
}

std::vector<std::string_view> KeysOf(Kind kind) {
  switch (kind) {
    case Kind::kGroups:
      return {"kind", "by", "metric"};
    case Kind::kCompare:
      return {"kind", "of", "baseline", "by", "metric", "detect"};
    case Kind::kProxy:
      return {"kind", "of", "baseline", "by", "metric", "tolerance"};
    case Kind::kPerturb:
      return {"kind", "of", "baseline", "metric"};
    case Kind::kPredict:
      return {"kind", "predicted", "measured", "by"};
    case Kind::kMachines:
      return {"kind", "metric"};
    case Kind::kDeviations:
      return {"kind", "of", "by", "metric", "exclude", "lines"};
    case Kind::kTables:
      return {"kind", "file", "table", "where", "derive", "by", "column", "across", "relative"};
    case Kind::kSummary:
      return {"kind", "file", "table", "where", "derive", "by", "column", "count"};
    case Kind::kFit:
      return {"kind", "file", "table", "where", "derive", "by", "x", "y", "leave_out"};
    case Kind::kPlot:
      return {"kind", "id", "title", "file", "table", "where", "derive", "by",
              "x",    "y",  "lines", "each", "marks", "log",   "points", "plot"};
  }
  return {};
}

Result<void> ReadOf(const TomlTable& table, const Study& study, AnalysisRequest& request) {
  TRY(const auto of, table.Text("of"));
  if (!of) return table.FailHere("'of' is missing: the factor whose levels are compared");
  TRY_VOID(RequireFactor(table, "of", *of, study));
  request.of = *of;
  const auto levels = LevelsOf(study, *of);
  if (levels.size() < 2) {
    return table.FailAtKey("of",
                           fmt::format("{} has only one level, so nothing can be compared", *of));
  }
  return {};
}

Result<void> ReadBaseline(const TomlTable& table, const Study& study, AnalysisRequest& request) {
  TRY_VOID(ReadOf(table, study, request));
  const auto levels = LevelsOf(study, request.of);
  TRY(const auto baseline, table.Values("baseline"));
  if (baseline.size() > 1) return table.FailAtKey("baseline", "baseline must be one level");
  request.baseline = baseline.empty() ? levels.front() : baseline.front();
  return RequireLevel(table, "baseline", request.of, request.baseline, study);
}

bool HasRows(Kind kind) {
  return kind == Kind::kTables || kind == Kind::kSummary || kind == Kind::kFit ||
         kind == Kind::kPlot;
}

// Columns of Documents are known when there are some; those of cases are factors and metrics.
Result<void> RequireColumn(const TomlTable& table, std::string_view key, const std::string& name,
                           const AnalysisRequest& request, const Study& study) {
  if (!request.rows.file.empty() || IsGiven(study, name)) return {};
  const auto& derived = request.rows.derived;
  if (std::ranges::find(derived, name, &DerivedColumn::name) != derived.end()) return {};
  const auto factors = FactorNames(study);
  if (std::ranges::find(factors, name) != factors.end()) return {};
  const std::vector<std::string> metrics = {name};
  return RequireMetrics(table, key, metrics, study);
}

// A table of names and expressions.
Result<std::vector<DerivedColumn>> ReadExpressions(const TomlTable& table) {
  std::vector<DerivedColumn> columns;
  for (const std::string& name : InOrderOfFile(table)) {
    TRY(const auto text, table.Text(name));
    auto expression = MetricExpression::Parse(*text);
    if (!expression) return table.FailAtKey(name, expression.error().message);
    columns.push_back({name, *std::move(expression)});
  }
  return columns;
}

Result<void> ReadDerived(const TomlTable& table, const Study& study, AnalysisRequest& request) {
  TRY(const auto derive, table.Table("derive"));
  if (!derive) return {};
  TRY(auto columns, ReadExpressions(*derive));
  for (DerivedColumn& derived : columns) {
    for (const std::string& column : derived.expression.Names()) {
      TRY_VOID(RequireColumn(*derive, derived.name, column, request, study));
    }
    request.rows.derived.push_back(std::move(derived));
  }
  return {};
}

// The columns that `across` makes are known when there are rows.
Result<void> ReadRelative(const TomlTable& table, AnalysisRequest& request) {
  TRY(const auto relative, table.Table("relative"));
  if (!relative) return {};
  if (request.across.empty()) {
    return table.FailAtKey("relative", "relative computes with the columns that 'across' makes");
  }
  TRY(request.relative, ReadExpressions(*relative));
  return {};
}

Result<void> ReadRowSource(const TomlTable& table, const Study& study, AnalysisRequest& request) {
  RowSource& rows = request.rows;
  TRY(const auto file, table.Text("file"));
  rows.file = file.value_or("");
  TRY(const auto of_document, table.Text("table"));
  rows.table = of_document.value_or("");
  const bool plots = !request.plot.of_documents.empty();
  if (plots && (!file || of_document)) {
    return table.FailAtKey("plot", "plots are taken from Documents: give 'file', and no 'table'");
  }
  if (!plots && file.has_value() != of_document.has_value()) {
    return table.FailHere(
        "'file', which runs leave in {files}, and 'table', one of its tables, go together");
  }
  const std::filesystem::path path = rows.file;
  if (path.is_absolute() || std::ranges::find(path, "..") != path.end()) {
    return table.FailAtKey("file", "file must be a path below {files}");
  }
  TRY(const auto where, table.Table("where"));
  if (where) {
    for (const std::string& column : where->Keys()) {
      TRY(rows.where[column], where->Values(column));
      if (plots) {
        TRY_VOID(RequireFactor(*where, column, column, study));
      } else {
        TRY_VOID(RequireColumn(*where, column, column, request, study));
      }
    }
  }
  return ReadDerived(table, study, request);
}

Result<std::string> RequiredColumn(const TomlTable& table, std::string_view key,
                                   const AnalysisRequest& request, const Study& study) {
  TRY(const auto name, table.Text(key));
  if (!name) return table.FailHere(fmt::format("'{}' is missing: a column", key));
  TRY_VOID(RequireColumn(table, key, *name, request, study));
  return *name;
}

// An id of --figure and of files.
bool IsPlotId(std::string_view id) {
  return std::ranges::all_of(
      id, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

Result<void> ReadMarks(const TomlTable& table, PlotRequest& plot) {
  TRY(const auto marks, table.Values("marks"));
  for (const std::string& text : marks) {
    double at = 0;
    const char* const end = text.data() + text.size();
    const auto [after, error] = std::from_chars(text.data(), end, at);
    if (error != std::errc() || after != end || !std::isfinite(at)) {
      return table.FailAtKey("marks", "marks are numbers, positions on the axis");
    }
    plot.marks.push_back({text, at});
  }
  return {};
}

Result<void> ReadLogarithmic(const TomlTable& table, PlotRequest& plot) {
  TRY(const auto axes, table.Texts("log"));
  for (const std::string& axis : axes) {
    if (axis != "x" && axis != "y") return table.FailAtKey("log", "log has \"x\", \"y\" or both");
    (axis == "x" ? plot.log_x : plot.log_y) = true;
  }
  return {};
}

// The keys of `plot` but those of all analyses of rows.
Result<void> ReadPlot(const TomlTable& table, AnalysisRequest& request) {
  PlotRequest& plot = request.plot;
  TRY(const auto id, table.Text("id"));
  if (id) plot.id = *id;
  if (!IsPlotId(plot.id)) {
    return table.FailAtKey("id", "an id has small letters, digits and _ only");
  }
  TRY(const auto title, table.Text("title"));
  plot.title = title.value_or("");
  TRY(plot.of_documents, table.Texts("plot"));
  TRY(plot.points, table.Flag("points"));
  TRY_VOID(ReadMarks(table, plot));
  TRY_VOID(ReadLogarithmic(table, plot));
  if (plot.of_documents.empty()) return {};
  constexpr auto kOfRows = std::to_array<std::string_view>(
      {"id", "derive", "by", "x", "y", "lines", "each", "marks", "log", "points"});
  for (const std::string_view key : kOfRows) {
    if (!table.Has(key)) continue;
    return table.FailAtKey(key,
                           fmt::format("{} has no effect: 'plot' takes plots as they are", key));
  }
  return {};
}

// The columns of a plot of rows.
Result<void> ReadPlotColumns(const TomlTable& table, const Study& study, AnalysisRequest& request) {
  TRY(request.y, RequiredColumn(table, "y", request, study));
  const auto optional = [&](std::string_view key, std::string& column) -> Result<void> {
    if (!table.Has(key)) return {};
    TRY(column, RequiredColumn(table, key, request, study));
    return {};
  };
  TRY_VOID(optional("x", request.x));
  TRY_VOID(optional("lines", request.plot.lines));
  TRY_VOID(optional("each", request.plot.each));
  const bool over = !request.x.empty();
  for (const std::string_view key : {"log", "points"}) {
    if (!over && table.Has(key)) {
      return table.FailAtKey(key, fmt::format("{} needs 'x': without it, dots have rows", key));
    }
  }
  return {};
}

Result<void> ReadRows(const TomlTable& table, const Study& study, AnalysisRequest& request) {
  if (request.kind == Kind::kPlot) TRY_VOID(ReadPlot(table, request));
  TRY_VOID(ReadRowSource(table, study, request));
  TRY(request.columns, table.Texts("column"));
  TRY_VOID(RequireDifferent(table, "column", request.columns));
  for (const std::string& column : request.columns) {
    TRY_VOID(RequireColumn(table, "column", column, request, study));
  }
  if (table.Has("across")) {
    TRY(request.across, RequiredColumn(table, "across", request, study));
    if (request.columns.size() != 1) {
      return table.FailAtKey("across", "across spreads one column: give one 'column'");
    }
  }
  TRY_VOID(ReadRelative(table, request));
  if (table.Has("count")) {
    TRY(request.count, RequiredColumn(table, "count", request, study));
  }
  if (request.kind == Kind::kSummary && request.columns.empty() && request.count.empty()) {
    return table.FailHere("summary needs 'column', 'count' or both");
  }
  if (request.kind == Kind::kFit) {
    TRY(request.x, RequiredColumn(table, "x", request, study));
    TRY(request.y, RequiredColumn(table, "y", request, study));
    if (table.Has("leave_out")) {
      TRY(request.leave_out, RequiredColumn(table, "leave_out", request, study));
    }
  }
  if (request.kind == Kind::kPlot && request.plot.of_documents.empty()) {
    TRY_VOID(ReadPlotColumns(table, study, request));
  }
  if (!table.Has("by")) return {};
  TRY(auto by, table.Texts("by"));
  for (const std::string& column : by) {
    TRY_VOID(RequireColumn(table, "by", column, request, study));
  }
  request.by = std::move(by);
  return {};
}

Result<void> ReadDeviations(const TomlTable& table, const Study& study, AnalysisRequest& request) {
  TRY_VOID(ReadOf(table, study, request));
  TRY(request.excluded, table.Values("exclude"));
  for (const std::string& level : request.excluded) {
    TRY_VOID(RequireLevel(table, "exclude", request.of, level, study));
  }
  if (LevelsOf(study, request.of).size() < request.excluded.size() + 2) {
    return table.FailAtKey("exclude", "exclude leaves fewer than two levels");
  }
  TRY(const auto lines, table.Text("lines"));
  if (!lines) return {};
  TRY_VOID(RequireFactor(table, "lines", *lines, study));
  if (*lines == request.of) {
    return table.FailAtKey("lines", "lines must be another factor than 'of'");
  }
  if (request.by && std::ranges::find(*request.by, *lines) == request.by->end()) {
    return table.FailAtKey("lines", "lines must be one of the factors of 'by'");
  }
  request.lines = *lines;
  return {};
}

Result<AnalysisRequest> ReadAnalysis(const TomlTable& table, const Study& study) {
  AnalysisRequest request;
  TRY(const auto kind, table.Text("kind"));
  if (!kind) return table.FailHere("'kind' is missing");
  const auto row = std::ranges::find(kAnalyses, *kind, &AnalysisRow::name);
  if (row == kAnalyses.end()) {
    std::vector<std::string_view> names;
    for (const AnalysisRow& each : kAnalyses) names.push_back(each.name);
    return table.FailAtKey(
        "kind", fmt::format("there is no analysis '{}'{}; there are {}", Printable(*kind),
                            DidYouMean(*kind, names), fmt::join(names, ", ")));
  }
  request.kind = row->kind;
  TRY_VOID(table.OnlyKeys(KeysOf(row->kind)));
  if (HasRows(request.kind)) {
    TRY_VOID(ReadRows(table, study, request));
    return request;
  }
  TRY(request.metrics, table.Texts("metric"));
  TRY_VOID(RequireMetrics(table, "metric", request.metrics, study));
  if (request.kind == Kind::kMachines && study.executor.kind == ExecutorPlan::Kind::kLocal) {
    return table.FailAtKey("kind",
                           "machines compares nodes: it needs kind = \"slurm\" in [executor]");
  }
  if (table.Has("by")) {
    TRY(auto by, table.Texts("by"));
    for (const std::string& factor : by) TRY_VOID(RequireFactor(table, "by", factor, study));
    request.by = std::move(by);
  }
  TRY(request.detect, Percent(table, "detect", 0.01));
  TRY(request.tolerance, Percent(table, "tolerance", 0.1));
  if (request.kind == Kind::kCompare || request.kind == Kind::kProxy ||
      request.kind == Kind::kPerturb) {
    TRY_VOID(ReadBaseline(table, study, request));
  }
  if (request.kind == Kind::kDeviations) TRY_VOID(ReadDeviations(table, study, request));
  if (request.kind == Kind::kPredict) {
    TRY(request.predicted, ReadSelected(table, "predicted", study));
    TRY(request.measured, ReadSelected(table, "measured", study));
  }
  return request;
}

}  // namespace

std::string_view Name(AnalysisRequest::Kind kind) {
  return std::ranges::find(kAnalyses, kind, &AnalysisRow::kind)->name;
}

Result<void> ReadAnalyses(const TomlTable& root, Study& study) {
  TRY(const auto tables, root.Tables("analysis"));
  for (const TomlTable& table : tables) {
    TRY(auto request, ReadAnalysis(table, study));
    study.analyses.push_back(std::move(request));
  }
  TRY(const auto report, root.Table("report"));
  if (!report) return {};
  constexpr auto kKeys = std::to_array<std::string_view>({"title", "text"});
  TRY_VOID(report->OnlyKeys(kKeys));
  TRY(const auto title, report->Text("title"));
  study.report_title = title.value_or("");
  TRY(const auto text, report->Text("text"));
  study.report_text = text.value_or("");
  return {};
}

}  // namespace tare::study
