// group_summary.cc: groups of cases, and the centre of each.
#include "analysis/study_results/group_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "stats/interval.h"
#include "stats/sample.h"

namespace tare::study_results {
namespace {

bool IsWholeMetric(const ResultSet& set, const std::vector<std::size_t>& runs, std::size_t metric) {
  return std::ranges::all_of(runs, [&](std::size_t run) {
    const auto& value = set.Stored().runs[run].values[metric];
    return value && std::holds_alternative<std::int64_t>(*value);
  });
}

}  // namespace

std::vector<CaseGroup> GroupCases(const ResultSet& set, const std::vector<std::string>& by) {
  std::vector<std::size_t> columns;
  for (const std::string& factor : by) {
    const std::size_t column = set.FactorIndex(factor);
    if (column < set.Factors().size()) columns.push_back(column);
  }
  std::vector<CaseGroup> groups;
  std::map<std::vector<std::string>, std::size_t> known;
  for (std::size_t i = 0; i < set.Cases().size(); ++i) {
    std::vector<std::string> levels;
    for (const std::size_t column : columns) levels.push_back(set.Cases()[i].levels[column]);
    const auto [found, fresh] = known.try_emplace(levels, groups.size());
    if (fresh) groups.push_back({std::move(levels), {}});
    groups[found->second].cases.push_back(i);
  }
  return groups;
}

GroupValues ValuesOf(const ResultSet& set, const CaseGroup& group, std::size_t metric) {
  GroupValues result;
  struct Sum {
    std::size_t cases = 0;
    double logs = 0;
    double sum = 0;
    bool positive = true;
  };
  std::map<std::int64_t, Sum> sums;
  for (const std::size_t index : group.cases) {
    bool has_metric = false;
    for (const std::size_t run : set.Cases()[index].runs) {
      const auto value = set.Value(run, metric);
      if (!value) continue;
      has_metric = true;
      Sum& sum = sums[set.RepetitionOf(run)];
      ++sum.cases;
      sum.sum += *value;
      if (*value > 0) {
        sum.logs += std::log(*value);
      } else {
        sum.positive = false;
      }
      result.runs.push_back(run);
    }
    result.cases += has_metric ? 1u : 0u;
  }
  const bool positive =
      std::ranges::all_of(sums, [](const auto& entry) { return entry.second.positive; });
  for (const auto& [repetition, sum] : sums) {
    if (sum.cases != result.cases) continue;
    result.repetitions.push_back(repetition);
    const auto count = static_cast<double>(sum.cases);
    result.values.push_back(sum.cases == 1 ? sum.sum
                            : positive     ? std::exp(sum.logs / count)
                                           : sum.sum / count);
  }
  return result;
}

Measured CentreOf(const std::vector<double>& values, bool whole, double confidence,
                  const std::string& doubt) {
  if (values.empty()) return Absent("no repetition has all cases");
  Measured centre;
  const bool constant = std::ranges::all_of(values, [&](double v) { return v == values.front(); });
  if (whole && constant && std::abs(values.front()) < 9e15) {
    centre = Exact(static_cast<std::int64_t>(values.front()));
    // One run does not show that the count repeats.
    if (values.size() == 1) centre.exact = false;
  } else if (auto interval = stats::MedianInterval(values, confidence)) {
    centre = *interval;
  } else {
    std::vector<double> sorted = values;
    // The extremes of n runs enclose the median with probability 1 - 2^(1-n).
    const double needed = std::ceil(1 - std::log2(1 - confidence));
    centre = Doubtful(Unbounded(stats::MedianOf(sorted)),
                      fmt::format("no interval: too few runs; {} are needed", needed));
  }
  return doubt.empty() ? centre : Doubtful(centre, doubt);
}

std::vector<GroupSummary> SummarizeGroups(const ResultSet& set, const std::vector<std::string>& by,
                                          const std::vector<std::size_t>& metrics,
                                          double confidence) {
  std::vector<GroupSummary> rows;
  for (const CaseGroup& group : GroupCases(set, by)) {
    std::size_t failed = 0;
    for (const std::size_t index : group.cases) failed += set.Cases()[index].failed;
    const std::size_t before = rows.size();
    for (const std::size_t metric : metrics) {
      const GroupValues values = ValuesOf(set, group, metric);
      if (values.values.empty()) continue;
      GroupSummary row{group.levels, metric, values.cases, values.runs.size(), failed, {}, {}};
      const bool whole = values.cases == 1 && IsWholeMetric(set, values.runs, metric);
      row.centre = CentreOf(values.values, whole, confidence, set.DoubtOf(values.runs, metric));
      row.summary = stats::Summarize(values.values).value_or(stats::Summary{});
      rows.push_back(std::move(row));
    }
    if (rows.size() > before || metrics.empty()) continue;
    // A group without a result is shown, so that nobody overlooks that it is missing.
    GroupSummary row{group.levels, metrics.front(), group.cases.size(), 0, failed, {}, {}};
    row.centre = Absent(failed > 0 ? "all runs failed" : "not run yet");
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace tare::study_results
