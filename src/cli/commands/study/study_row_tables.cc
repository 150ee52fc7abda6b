// study_row_tables.cc: deviations as tare count shows them, and rows of Documents.
#include "cli/commands/study/study_row_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/study_results/row_fit.h"
#include "analysis/study_results/row_summary.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "base/units.h"
#include "cli/commands/count/compare_tables.h"
#include "cli/commands/study/study_sentences.h"
#include "cli/commands/study/study_tables.h"
#include "report/figures.h"
#include "report/table_cells.h"
#include "stats/sample.h"

namespace tare::cli {
namespace {

using study_results::LevelDeviations;
using study_results::RowFit;
using study_results::RowSummary;

Number RowCount(std::size_t number) { return static_cast<std::int64_t>(number); }

// The table of tare count with the words of the study: a column for each factor instead of
// `benchmark`, units, and what the levels are.
report::Table InWordsOfStudy(report::Table table, const LevelDeviations& deviations,
                             const DeviationNames& names) {
  const std::string unit = deviations.scale > 1 ? "ns" : names.unit;
  for (report::Column& column : table.columns) {
    if (column.name != "benchmark" && column.name != "cv") column.unit = unit;
  }
  auto columns = FactorColumns(names.by, names.by);
  columns.insert(columns.end(), table.columns.begin() + 1, table.columns.end());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<report::Cell> row(deviations.levels[i].begin(), deviations.levels[i].end());
    row.insert(row.end(), table.rows[i].begin() + 1, table.rows[i].end());
    table.rows[i] = std::move(row);
  }
  table.columns = std::move(columns);
  table.whole = true;
  return table;
}

// "3.2 %" of a fraction.
std::string Share(double fraction) {
  return fmt::format("{} %", report::ShowRounded(100 * fraction, 2));
}

}  // namespace

report::Table DeviationTable(const LevelDeviations& deviations, const DeviationNames& names) {
  report::Table table = InWordsOfStudy(InterTable(deviations.comparison), deviations, names);
  table.title =
      fmt::format("{}: mean over {}, and the difference of each from it", names.metric, names.of);
  return table;
}

report::Table DeviationWithinTable(const LevelDeviations& deviations, const DeviationNames& names) {
  report::Table table = InWordsOfStudy(IntraTable(deviations.comparison), deviations, names);
  table.title = fmt::format("{}: standard deviation over the runs, pooled and for each {}",
                            names.metric, names.of);
  return table;
}

std::string DeviationSentence(const LevelDeviations& deviations, const DeviationNames& names) {
  std::size_t constant = 0;
  std::size_t repeated = 0;
  std::vector<double> relative;
  double largest = -1;
  std::string where;
  for (std::size_t i = 0; i < deviations.comparison.benchmarks.size(); ++i) {
    const auto& benchmark = deviations.comparison.benchmarks[i];
    for (const auto& level : benchmark.machines) {
      if (!level || !level->within) continue;
      ++repeated;
      constant += level->within->Value() == 0 ? 1u : 0u;
    }
    const auto between = benchmark.Relative(benchmark.between);
    if (!between) continue;
    relative.push_back(between->Value());
    if (between->Value() <= largest) continue;
    largest = between->Value();
    where = PlaceInWords(names.by, deviations.levels[i]);
  }
  const std::string metric = MetricInWords(names.metric);
  std::string text;
  if (repeated > 0) {
    text = fmt::format("{} of {} series of runs have the same {} in every run.", constant, repeated,
                       Printable(metric));
  }
  if (relative.empty()) return text;
  return fmt::format(
      "{}{}The {} of the levels of {} deviate by {} in the median of {}, at most by "
      "{}{}.",
      text, text.empty() ? "" : " ", Printable(metric), names.of, Share(stats::MedianOf(relative)),
      Counted(relative.size(), "case"), Share(largest),
      where.empty() ? "" : fmt::format(" ({})", where));
}

namespace {

// The column of the rows, or a new one for a part of it.
report::Column ColumnOf(const report::Table& rows, const std::string& name) {
  const auto index = report::FindColumn(rows, name);
  if (index) return rows.columns[*index];
  report::Column part{name};
  part.thing = true;
  return part;
}

std::vector<report::Column> ThingColumns(const std::vector<std::string>& names) {
  std::vector<report::Column> columns;
  for (const std::string& name : names) {
    columns.push_back({name});
    columns.back().thing = true;
  }
  return columns;
}

std::string TitleOf(const study::AnalysisRequest& request) {
  if (request.rows.file.empty()) return "Medians of cases";
  return fmt::format("{} of {}", request.rows.table, request.rows.file);
}

report::Table CollectedRowsTable(const study_results::CollectedTable& collected,
                                 const study::AnalysisRequest& request,
                                 const std::vector<std::string>& by) {
  const report::Table& rows = collected.table;
  report::Table table;
  if (!request.across.empty()) {
    table = study_results::Spread(rows, by, request.across, request.columns.front());
    study_results::AddColumns(request.relative, table);
    const auto things = ThingColumns(by);
    std::ranges::copy(things, table.columns.begin());
  } else {
    std::vector<std::string> names = request.columns;
    if (names.empty()) {
      for (std::size_t i = collected.first_column; i < rows.columns.size(); ++i) {
        names.push_back(rows.columns[i].name);
      }
    }
    table.columns = ThingColumns(by);
    for (const std::string& name : names) table.columns.push_back(ColumnOf(rows, name));
    for (const auto& row : rows.rows) {
      std::vector<report::Cell> shown;
      for (const std::string& name : by) shown.push_back(study_results::CellOf(rows, row, name));
      for (const std::string& name : names) shown.push_back(study_results::CellOf(rows, row, name));
      table.rows.push_back(std::move(shown));
    }
  }
  table.title = TitleOf(request);
  if (!request.across.empty()) {
    table.title += fmt::format(": {} by {}", request.columns.front(), request.across);
  }
  table.whole = true;
  return table;
}

// Verdicts in their own order, other texts in that of the alphabet.
std::vector<std::string> CountedTexts(const std::vector<RowSummary>& summaries) {
  std::set<std::string> texts;
  for (const RowSummary& one : summaries) {
    for (const auto& [text, count] : one.counted) texts.insert(text);
  }
  std::vector<std::string> order;
  for (const Verdict verdict : {Verdict::kValid, Verdict::kDoubtful, Verdict::kRefused}) {
    const auto found = texts.find(std::string(Name(verdict)));
    if (found == texts.end()) continue;
    order.push_back(*found);
    texts.erase(found);
  }
  order.insert(order.end(), texts.begin(), texts.end());
  return order;
}

report::Table RowSummaryTable(const std::vector<RowSummary>& summaries, const report::Table& rows,
                              const study::AnalysisRequest& request,
                              const std::vector<std::string>& by) {
  const auto texts = CountedTexts(summaries);
  report::Table table;
  table.columns = ThingColumns(by);
  const bool has_numbers = !request.columns.empty();
  if (has_numbers) table.columns.push_back({"column"});
  table.columns.push_back({"rows", "rows"});
  for (report::Column column : ThingColumns(texts)) {
    column.unit = "rows";
    table.columns.push_back(std::move(column));
  }
  if (has_numbers) {
    table.columns.insert(table.columns.end(), {{"min"},
                                               report::Kept({"median"}),
                                               {"max"},
                                               report::Detail({"mean"}),
                                               report::Detail({"geometric_mean"})});
  }
  for (const RowSummary& one : summaries) {
    const auto begin = [&] {
      return std::vector<report::Cell>(one.texts.begin(), one.texts.end());
    };
    const auto count = [&](std::vector<report::Cell>& row, std::size_t counted_rows) {
      row.emplace_back(RowCount(counted_rows));
      for (const std::string& text : texts) {
        const auto found = one.counted.find(text);
        row.emplace_back(RowCount(found == one.counted.end() ? 0 : found->second));
      }
    };
    if (!has_numbers) {
      auto row = begin();
      count(row, one.rows);
      table.rows.push_back(std::move(row));
    }
    for (const study_results::ColumnSummary& column : one.columns) {
      auto row = begin();
      row.emplace_back(column.column);
      count(row, column.count);
      const std::string unit = ColumnOf(rows, column.column).unit;
      const auto cell = [&](double value) { return WithUnit(unit, Unbounded(value)); };
      row.emplace_back(cell(column.minimum));
      row.emplace_back(cell(column.median));
      row.emplace_back(cell(column.maximum));
      row.emplace_back(cell(column.mean));
      row.emplace_back(column.geometric_mean ? cell(*column.geometric_mean)
                                             : Absent("a number is not above 0"));
      table.rows.push_back(std::move(row));
    }
  }
  table.title = TitleOf(request) + ", summed up";
  table.whole = true;
  return table;
}

std::string RowSummarySentence(const std::vector<RowSummary>& summaries,
                               const study::AnalysisRequest& request) {
  std::map<std::string, std::size_t> counted;
  std::size_t rows = 0;
  for (const RowSummary& one : summaries) {
    rows += one.rows;
    for (const auto& [text, count] : one.counted) counted[text] += count;
  }
  std::vector<std::string> parts;
  for (const std::string& text : CountedTexts(summaries)) {
    parts.push_back(fmt::format("{} {}", counted[text], Printable(text)));
  }
  if (!parts.empty()) {
    return fmt::format("{} in {}: {}.", Printable(request.count), Counted(rows, "row"),
                       fmt::join(parts, ", "));
  }
  if (summaries.size() == 1 && summaries.front().columns.size() == 1) {
    const auto& one = summaries.front().columns.front();
    return fmt::format("The median {} of {} is {}, between {} and {}.",
                       Printable(request.columns.front()), Counted(one.count, "row"),
                       report::ShowRounded(one.median, 3), report::ShowRounded(one.minimum, 3),
                       report::ShowRounded(one.maximum, 3));
  }
  return "";
}

report::Table RowFitTable(const std::vector<RowFit>& fits,
                          const study_results::FitRequest& request) {
  report::Table table;
  table.title = fmt::format("{} as a line over {}", request.y, request.x);
  table.columns = ThingColumns(request.by);
  table.columns.insert(table.columns.end(),
                       {report::Kept({"slope"}), {"intercept"}, {"explained", "%"}, {"deviation"}});
  if (!request.leave_out.empty()) table.columns.push_back({"left_out"});
  table.columns.push_back({"rows", "rows"});
  for (const RowFit& fit : fits) {
    std::vector<report::Cell> row(fit.texts.begin(), fit.texts.end());
    row.emplace_back(fit.slope);
    row.emplace_back(fit.intercept);
    row.emplace_back(Scaled(fit.determination, 100));
    row.emplace_back(fit.deviation);
    if (!request.leave_out.empty()) row.emplace_back(fit.left_out);
    row.emplace_back(RowCount(fit.rows));
    table.rows.push_back(std::move(row));
  }
  table.whole = true;
  return table;
}

// A derived column with what it is derived from: "counted (instructions)".
std::string ColumnInWords(const std::string& name, const study::RowSource& source) {
  const auto derived = std::ranges::find(source.derived, name, &study::DerivedColumn::name);
  if (derived == source.derived.end()) return Printable(name);
  return fmt::format("{} ({})", Printable(name),
                     Printable(fmt::format("{}", fmt::join(derived->expression.Names(), ", "))));
}

std::string RowFitSentence(const std::vector<RowFit>& fits,
                           const study_results::FitRequest& request,
                           const study::RowSource& source) {
  const std::string x = ColumnInWords(request.x, source);
  const std::string y = ColumnInWords(request.y, source);
  std::vector<const RowFit*> decided;
  for (const RowFit& fit : fits) {
    if (fit.slope.value) decided.push_back(&fit);
  }
  if (decided.empty()) {
    return fmt::format("No line fits {} over {}: {}.", y, x,
                       fits.empty() ? "there are no rows" : fits.front().slope.reason);
  }
  const auto show = [](const Measured& measured) {
    const auto figure = report::ShowMeasured(measured, 1);
    return figure.interval.empty() ? figure.value
                                   : fmt::format("{} {}", figure.value, figure.interval);
  };
  if (decided.size() == 1) {
    return fmt::format("{} rises by {} for each unit of {}, from {} at 0 ({}).", y,
                       show(decided.front()->slope), x, show(decided.front()->intercept),
                       Counted(decided.front()->rows, "row"));
  }
  const auto [low, high] = std::ranges::minmax_element(
      decided, {}, [](const RowFit* fit) { return fit->slope.Value(); });
  return fmt::format("The slope of {} over {} is between {} ({}) and {} ({}).", y, x,
                     show((*low)->slope), PlaceInWords(request.by, (*low)->texts),
                     show((*high)->slope), PlaceInWords(request.by, (*high)->texts));
}

}  // namespace

RowAnalysis AnalyseRows(const study_results::CollectedTable& collected,
                        const study::AnalysisRequest& request, const std::vector<std::string>& by,
                        double confidence) {
  if (request.kind == study::AnalysisRequest::Kind::kTables) {
    return {CollectedRowsTable(collected, request, by), ""};
  }
  if (request.kind == study::AnalysisRequest::Kind::kFit) {
    const study_results::FitRequest wanted{by, request.x, request.y, confidence, request.leave_out};
    const auto lines = study_results::FitRows(collected.table, wanted);
    return {RowFitTable(lines, wanted), RowFitSentence(lines, wanted, request.rows)};
  }
  const auto summaries =
      study_results::SummarizeRows(collected.table, by, request.columns, request.count);
  return {RowSummaryTable(summaries, collected.table, request, by),
          RowSummarySentence(summaries, request)};
}

namespace {

// A sentence for each name, which none of the columns has.
std::string UnknownText(const std::vector<std::string>& names, const report::Table& rows,
                        const study::AnalysisRequest& request) {
  std::vector<std::string_view> known;
  for (const report::Column& column : rows.columns) known.push_back(column.name);
  const std::string table = Printable(request.rows.table);
  std::vector<std::string> sentences;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) continue;
    const std::string near = Printable(DidYouMeanOrAll(name, known, "there are"));
    sentences.push_back(fmt::format("No row{} has the column '{}'{}{}",
                                    request.rows.table.empty() ? "" : " of " + table,
                                    Printable(name), near, near.ends_with('?') ? "" : "."));
  }
  return fmt::format("{}", fmt::join(sentences, " "));
}

}  // namespace

std::string UnknownColumns(const report::Table& rows, const study::AnalysisRequest& request,
                           const std::vector<std::string>& by) {
  std::vector<std::string> wanted = by;
  wanted.insert(wanted.end(), request.columns.begin(), request.columns.end());
  for (const std::string& name : {request.across, request.count, request.x, request.y,
                                  request.leave_out, request.plot.lines, request.plot.each}) {
    if (!name.empty()) wanted.push_back(name);
  }
  for (const auto& [name, texts] : request.rows.where) wanted.push_back(name);
  for (const study::DerivedColumn& derived : request.rows.derived) {
    const auto& names = derived.expression.Names();
    wanted.insert(wanted.end(), names.begin(), names.end());
  }
  std::erase_if(wanted,
                [&](const std::string& name) { return study_results::HasColumn(rows, name); });
  return UnknownText(wanted, rows, request);
}

std::string UnknownInRelative(const report::Table& rows, const study::AnalysisRequest& request,
                              const std::vector<std::string>& by) {
  if (request.relative.empty() || rows.rows.empty()) return "";
  auto table = study_results::Spread(rows, by, request.across, request.columns.front());
  table.rows.clear();
  const report::Table spread = table;
  std::vector<std::string> unknown;
  for (const study::DerivedColumn& derived : request.relative) {
    for (const std::string& name : derived.expression.Names()) {
      if (!study_results::HasColumn(table, name)) unknown.push_back(name);
    }
    table.columns.push_back({derived.name});
  }
  return UnknownText(unknown, spread, request);
}

}  // namespace tare::cli
