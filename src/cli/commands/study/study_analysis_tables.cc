// study_analysis_tables.cc: medians, ratios and deviations as cells.
#include "cli/commands/study/study_analysis_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/proxy/ratio_verdict.h"
#include "base/units.h"
#include "cli/cells.h"
#include "cli/commands/study/study_tables.h"

namespace tare::cli {
namespace {

const std::string& UnitOfMetric(const study_results::ResultSet& set, std::size_t metric) {
  return set.Stored().metrics[metric].unit;
}
const std::string& NameOfMetric(const study_results::ResultSet& set, std::size_t metric) {
  return set.Stored().metrics[metric].name;
}

// The level that all rows have, or the name of the factor.
std::string OneLevelOr(const std::vector<study_results::LevelRatio>& rows,
                       const std::string& factor) {
  const bool one = !rows.empty() && std::ranges::all_of(rows, [&](const auto& row) {
    return row.level == rows.front().level;
  });
  return one ? rows.front().level : factor;
}

}  // namespace

report::Table GroupTable(const study_results::ResultSet& set, const std::string& id,
                         const std::vector<std::string>& by,
                         const std::vector<study_results::GroupSummary>& groups) {
  const bool all = id == "results";
  report::Table table{
      id, all ? "All cases and metrics" : "Medians by group", FactorColumns(by, by), {}};
  table.columns.insert(table.columns.end(), {{"metric"},
                                             report::Kept({"median"}),
                                             {"deviation", "%"},
                                             report::Detail({"mean"}),
                                             report::Detail({"min"}),
                                             report::Detail({"max"}),
                                             {"runs", "runs"},
                                             {"failed", "runs"}});
  for (const auto& group : groups) {
    std::vector<report::Cell> row;
    for (const std::string& level : group.levels) row.emplace_back(level);
    const std::string& unit = UnitOfMetric(set, group.metric);
    row.emplace_back(NameOfMetric(set, group.metric));
    row.emplace_back(WithUnit(unit, group.centre));
    const auto number = [&](double value) -> report::Cell {
      if (group.runs == 0) return group.centre;
      return WithUnit(unit, Unbounded(value));
    };
    const double deviation = 100 * group.summary.coefficient_of_variation;
    row.emplace_back(group.runs < 2             ? Absent("needs two runs")
                     : std::isfinite(deviation) ? Unbounded(deviation)
                                                : Absent("the mean is 0"));
    row.push_back(number(group.summary.mean));
    row.push_back(number(group.summary.minimum));
    row.push_back(number(group.summary.maximum));
    row.emplace_back(Number(static_cast<std::int64_t>(group.runs)));
    row.emplace_back(Number(static_cast<std::int64_t>(group.failed)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table LevelRatioTable(const study_results::ResultSet& set,
                              const study::AnalysisRequest& request,
                              const std::vector<std::string>& by,
                              const std::vector<study_results::LevelRatio>& rows) {
  const bool proxy = request.kind == study::AnalysisRequest::Kind::kProxy;
  report::Table table{"",
                      fmt::format("{} over {}{}", OneLevelOr(rows, request.of), request.baseline,
                                  proxy ? fmt::format(": which metrics represent it within {} %",
                                                      Rounded(100 * request.tolerance, 3))
                                        : ""),
                      FactorColumns(by, by),
                      {}};
  report::Column of{request.of};
  of.thing = true;
  of.keep = true;
  table.columns.insert(table.columns.begin(), of);
  table.columns.insert(table.columns.end(), {{"metric"},
                                             report::Detail({"baseline"}),
                                             report::Detail({"value"}),
                                             report::Kept({"ratio"}),
                                             report::Kept({proxy ? "verdict" : "answer"}),
                                             {"pairs", "pairs"}});
  for (const study_results::LevelRatio& one : rows) {
    std::vector<report::Cell> row = {one.level};
    for (const std::string& level : one.levels) row.emplace_back(level);
    const std::string& unit = UnitOfMetric(set, one.metric);
    row.emplace_back(NameOfMetric(set, one.metric));
    row.emplace_back(WithUnit(unit, one.baseline));
    row.emplace_back(WithUnit(unit, one.value));
    row.emplace_back(one.ratio);
    if (proxy) {
      row.emplace_back(std::string(
          one.ratio.value ? Name(proxy::VerdictOf(one.ratio, request.tolerance)) : "unknown"));
    } else {
      row.emplace_back(StudyAnswer(one.answer, unit));
    }
    row.emplace_back(Number(static_cast<std::int64_t>(one.pairs)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table NodeDeviationTable(const study_results::ResultSet& set,
                                 const std::vector<std::string>& by,
                                 const std::vector<study_results::NodeDeviation>& rows) {
  report::Table table{"", "Deviation of each node from the mean of all", FactorColumns(by, by), {}};
  table.columns.insert(table.columns.begin(), report::Kept({"node"}));
  table.columns.insert(
      table.columns.end(),
      {{"metric"}, report::Kept({"deviation", "%"}), {"outlier"}, {"runs", "runs"}});
  for (const auto& one : rows) {
    std::vector<report::Cell> row = {one.node};
    for (const std::string& level : one.levels) row.emplace_back(level);
    row.emplace_back(NameOfMetric(set, one.metric));
    row.emplace_back(Scaled(one.deviation, 100));
    row.emplace_back(std::string(one.outlier ? "yes" : "no"));
    row.emplace_back(Number(static_cast<std::int64_t>(one.runs)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace tare::cli
