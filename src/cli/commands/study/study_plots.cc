// study_plots.cc: groups rows into plots.
#include "cli/commands/study/study_plots.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "analysis/study_results/row_fit.h"
#include "base/printable.h"
#include "cli/commands/count/compare_plots.h"
#include "report/names.h"

namespace tare::cli {
namespace {

using study_results::GroupRows;
using study_results::RowGroup;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// The number of a cell with everything that is known about it; levels of factors are texts.
std::optional<Measured> PlottedNumber(const report::Table& rows,
                                      const std::vector<report::Cell>& row,
                                      const std::string& column) {
  const report::Cell cell = study_results::CellOf(rows, row, column);
  if (const auto* measured = std::get_if<Measured>(&cell)) {
    return measured->value ? std::optional(*measured) : std::nullopt;
  }
  const auto number = study_results::NumberOf(rows, row, column);
  if (!number) return std::nullopt;
  return Unbounded(AsDouble(*number));
}

std::string UnitOfColumn(const report::Table& rows, const std::string& column) {
  const auto found = std::ranges::find(rows.columns, column, &report::Column::name);
  return found == rows.columns.end() ? "" : found->unit;
}

std::string UnitOfNumber(const Measured& number, const report::Table& rows,
                         const std::string& column) {
  return number.unit.empty() ? UnitOfColumn(rows, column) : number.unit;
}

std::string JoinedTexts(const std::vector<std::string>& texts) {
  std::vector<std::string> shown;
  for (const std::string& text : texts) {
    if (!text.empty()) shown.push_back(Printable(text));
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

std::vector<std::string> TextsOf(const report::Table& rows, const std::string& column) {
  if (column.empty()) return {""};
  const std::vector<std::string> by = {column};
  std::vector<std::string> texts;
  for (const RowGroup& group : GroupRows(rows, by)) texts.push_back(group.texts.front());
  return texts;
}

// The worse of both verdicts, with its reason.
void AddVerdict(const Measured& number, report::Line& line) {
  if (line.verdict && *line.verdict >= number.verdict) return;
  line.verdict = number.verdict;
  line.reason = number.reason;
}

report::Table RowsWith(const report::Table& rows, const std::string& column,
                       const std::string& text) {
  report::Table some{rows.id, rows.title, rows.columns, {}};
  for (const auto& row : rows.rows) {
    if (study_results::TextOf(rows, row, column) == text) some.rows.push_back(row);
  }
  return some;
}

}  // namespace

std::vector<report::Bars> DotsOfRows(const report::Table& rows, const PlottedColumns& columns) {
  std::vector<report::Bars> plots;
  const std::vector<std::string> groups = TextsOf(rows, columns.group);
  std::vector<std::string> segments;
  for (const std::string& group : groups) {
    segments.push_back(columns.group.empty() ? Printable(columns.y) : Printable(group));
  }
  for (const auto& row : rows.rows) {
    const auto number = PlottedNumber(rows, row, columns.y);
    if (!number) continue;
    const std::string unit = UnitOfNumber(*number, rows, columns.y);
    auto plot = std::ranges::find(plots, unit, &report::Bars::unit);
    if (plot == plots.end()) {
      report::Bars fresh{columns.id, columns.title, unit, segments, {}};
      fresh.dots = true;
      fresh.marks = columns.marks;
      plot = plots.insert(plots.end(), std::move(fresh));
    }
    std::vector<std::string> texts;
    for (const std::string& column : columns.names) {
      texts.push_back(study_results::TextOf(rows, row, column));
    }
    const std::string name = JoinedTexts(texts);
    auto bar = std::ranges::find(plot->bars, name, &report::Bar::name);
    if (bar == plot->bars.end()) {
      plot->bars.push_back({name, std::vector(segments.size(), Absent("no run has it"))});
      bar = plot->bars.end() - 1;
    }
    std::size_t group = 0;
    if (!columns.group.empty()) {
      const std::string text = study_results::TextOf(rows, row, columns.group);
      group = static_cast<std::size_t>(std::ranges::find(groups, text) - groups.begin());
    }
    bar->values[group] = *number;
  }
  return plots;
}

report::Series LinesOfRows(const report::Table& rows, const PlottedColumns& columns) {
  report::Series plot{
      columns.id, columns.title, {columns.x, UnitOfColumn(rows, columns.x)}, false, {}};
  plot.axis.thing = true;
  plot.marks = columns.marks;
  const std::vector<std::string> by =
      columns.group.empty() ? std::vector<std::string>() : std::vector{columns.group};
  for (const RowGroup& group : GroupRows(rows, by)) {
    std::vector<std::pair<double, Measured>> points;
    for (const std::size_t index : group.rows) {
      const auto x = PlottedNumber(rows, rows.rows[index], columns.x);
      const auto y = PlottedNumber(rows, rows.rows[index], columns.y);
      if (x && y) points.emplace_back(x->Value(), *y);
    }
    if (points.empty()) continue;
    std::ranges::stable_sort(points, {}, &std::pair<double, Measured>::first);
    report::Line line{Printable(columns.group.empty() ? columns.y : group.texts.front()),
                      UnitOfNumber(points.front().second, rows, columns.y),
                      {},
                      {},
                      {},
                      {}};
    const bool bounded =
        std::ranges::any_of(points, [](const auto& point) { return point.second.HasInterval(); });
    for (const auto& [x, y] : points) {
      line.x.push_back(x);
      line.y.push_back(y.Value());
      if (bounded) {
        line.low.push_back(y.low.value_or(kNoNumber));
        line.high.push_back(y.high.value_or(kNoNumber));
      }
      AddVerdict(y, line);
    }
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

std::vector<report::Block> PlotsOfRows(const report::Table& rows,
                                       const study::AnalysisRequest& request,
                                       const std::vector<std::string>& by) {
  std::vector<report::Block> plots;
  const study::PlotRequest& wanted = request.plot;
  for (const std::string& text : TextsOf(rows, wanted.each)) {
    const report::Table some = wanted.each.empty() ? rows : RowsWith(rows, wanted.each, text);
    PlottedColumns columns{wanted.id, wanted.title, by, wanted.lines, request.x, request.y};
    if (columns.title.empty()) {
      columns.title = request.x.empty() ? request.y : fmt::format("{} by {}", request.y, request.x);
    }
    if (!wanted.each.empty()) {
      columns.id += "_" + report::IdWord(text);
      columns.title = fmt::format("{}: {}", columns.title, Printable(text));
    }
    std::erase(columns.names, wanted.lines);
    std::erase(columns.names, wanted.each);
    for (const study::PlotMark& mark : wanted.marks) columns.marks.push_back({mark.at, mark.label});
    std::ranges::sort(columns.marks, {}, &report::Mark::x);
    if (request.x.empty()) {
      for (report::Bars& dots : DotsOfRows(some, columns)) plots.emplace_back(std::move(dots));
      continue;
    }
    report::Series lines = LinesOfRows(some, columns);
    lines.log_axis = wanted.log_x;
    lines.log_values = wanted.log_y;
    for (report::Line& line : lines.lines) line.points = wanted.points;
    if (!lines.lines.empty()) plots.emplace_back(std::move(lines));
  }
  return plots;
}

std::vector<report::Block> PlotsOfDocuments(const study_results::CollectedPlots& collected,
                                            const std::vector<std::string>& factors,
                                            const study::AnalysisRequest& request) {
  const auto& plots = collected.plots;
  std::vector<std::size_t> varying;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    const bool varies = std::ranges::any_of(
        plots, [&](const auto& plot) { return plot.levels[f] != plots.front().levels[f]; });
    if (varies) varying.push_back(f);
  }
  const bool repeated =
      std::ranges::any_of(plots, [&](const auto& plot) { return plot.run != plots.front().run; });
  std::vector<report::Block> blocks;
  for (const study_results::CollectedPlot& plot : plots) {
    std::vector<std::string> place;
    for (const std::size_t f : varying) place.push_back(plot.levels[f]);
    if (repeated) place.push_back(fmt::format("run {}", plot.run));
    report::Block block = plot.block;
    std::visit(
        [&]<typename Kind>(Kind& part) {
          for (const std::string& word : place) part.id += "_" + report::IdWord(word);
          if constexpr (!std::is_same_v<Kind, report::Text>) {
            if (!request.plot.title.empty()) part.title = request.plot.title;
            if (!place.empty()) part.title = fmt::format("{}: {}", JoinedTexts(place), part.title);
          }
        },
        block);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::vector<report::Block> SeveralDots(const report::Table& rows, const PlottedColumns& columns) {
  std::vector<report::Block> plots;
  for (report::Bars& dots : DotsOfRows(rows, columns)) {
    if (dots.bars.size() > 1 || dots.segments.size() > 1) plots.emplace_back(std::move(dots));
  }
  return plots;
}

std::vector<report::Block> PredictionPlots(const report::Table& table,
                                           const std::vector<std::string>& by) {
  report::Table both{"", "", {}, {}};
  for (const std::string& factor : by) both.columns.push_back({factor});
  both.columns.insert(both.columns.end(), {{"which"}, {"value"}});
  for (const char* const which : {"predicted", "measured"}) {
    for (const auto& row : table.rows) {
      std::vector<report::Cell> one(row.begin(),
                                    row.begin() + static_cast<std::ptrdiff_t>(by.size()));
      one.emplace_back(std::string(which));
      one.push_back(study_results::CellOf(table, row, which));
      both.rows.push_back(std::move(one));
    }
  }
  PlottedColumns columns{"prediction_plot", table.title, by, "which", "", "value"};
  const bool numbers = by.size() == 1 && std::ranges::all_of(both.rows, [&](const auto& row) {
                         return study_results::NumberOf(both, row, by.front()).has_value();
                       });
  if (!numbers) return SeveralDots(both, columns);
  columns.x = by.front();
  report::Series lines = LinesOfRows(both, columns);
  if (lines.lines.empty()) return {};
  const bool decades = std::ranges::all_of(lines.lines, [](const report::Line& line) {
    return line.x.front() > 0 && line.x.back() > 10 * line.x.front();
  });
  lines.log_axis = lines.log_values = decades;
  return {std::move(lines)};
}

std::vector<report::Block> DeviationPlots(const study_results::LevelDeviations& deviations,
                                          const DeviationNames& names, const std::string& lines) {
  const auto found = std::ranges::find(names.by, lines);
  const auto colour = found - names.by.begin();
  std::vector<VariationRow> rows;
  std::vector<std::string> levels;
  for (const auto& group : deviations.levels) {
    auto others = group;
    std::string level = names.metric;
    if (found != names.by.end()) {
      level = group[static_cast<std::size_t>(colour)];
      others.erase(others.begin() + colour);
    }
    rows.push_back({JoinedTexts(others), Printable(level)});
    if (std::ranges::find(levels, level) == levels.end()) levels.push_back(level);
  }
  std::vector<report::Block> plots;
  report::Bars variation = VariationDots(deviations.comparison, rows);
  variation.title = fmt::format("{}: coefficient of variation over {}", names.metric, names.of);
  plots.emplace_back(std::move(variation));
  const bool one = levels.size() == 1;
  for (const std::string& level : levels) {
    machines::Comparison some = deviations.comparison;
    some.benchmarks.clear();
    BenchmarkNames some_names;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].group != Printable(level)) continue;
      some.benchmarks.push_back(deviations.comparison.benchmarks[i]);
      some_names.push_back(rows[i].name);
    }
    const auto add = [&](report::Bars dots, const std::string& title) {
      dots.id += one ? "_plot" : "_plot_" + report::IdWord(level);
      dots.title = fmt::format("{}: {}{}", names.metric, title, one ? "" : ", " + level);
      dots.unit = deviations.scale > 1 ? "ns" : names.unit;
      plots.emplace_back(std::move(dots));
    };
    add(DeviationDots(some, some_names),
        fmt::format("difference of each {} from the mean", names.of));
    if (some.repeated) add(WithinDots(some, some_names), "standard deviation over the runs");
  }
  return plots;
}

std::vector<report::Block> FitPlots(const report::Table& rows,
                                    const study::AnalysisRequest& request,
                                    const std::vector<std::string>& by, double confidence) {
  PlottedColumns columns;
  columns.id = "fit_plot";
  columns.title = fmt::format("{} over {}", request.y, request.x);
  columns.x = request.x;
  columns.y = request.y;
  if (by.size() == 1) columns.group = by.front();
  report::Series plot = LinesOfRows(rows, columns);
  if (plot.lines.empty()) return {};
  for (report::Line& line : plot.lines) line.points = true;
  // With several columns in `by`, points have no colours by which to find their line.
  if (by.size() > 1) return {std::move(plot)};
  std::vector<report::Line> fitted;
  for (const study_results::RowFit& fit :
       study_results::FitRows(rows, {by, request.x, request.y, confidence})) {
    const std::string name = by.empty() ? plot.lines[0].name : Printable(fit.texts.front());
    const auto points = std::ranges::find(plot.lines, name, &report::Line::name);
    if (points == plot.lines.end() || !fit.slope.value) continue;
    report::Line line{name + ", fitted", points->unit, {}, {}, {}, {}};
    for (const double x : {points->x.front(), points->x.back()}) {
      line.x.push_back(x);
      line.y.push_back(fit.intercept.Value() + fit.slope.Value() * x);
    }
    fitted.push_back(std::move(line));
  }
  plot.lines.insert(plot.lines.end(), fitted.begin(), fitted.end());
  return {std::move(plot)};
}

}  // namespace tare::cli
