// level_comparison.cc: pairs of runs, and the ratio that compare's statistics make of them.
#include "analysis/study_results/level_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tare::study_results {
namespace {

// The groups of one combination of `by`, by level of the compared factor and by layout.
struct ComparedGroups {
  std::vector<std::string> levels;
  std::map<std::string, std::map<std::string, CaseGroup>> by_level;
  std::vector<std::string> order;  // of levels
};

std::vector<ComparedGroups> Arrange(const ResultSet& set, const ComparisonRequest& request) {
  const std::size_t of = set.FactorIndex(request.of);
  const std::size_t layout = set.FactorIndex("layout");
  const bool pools_layouts = layout < set.Factors().size() &&
                             std::ranges::find(request.by, "layout") == request.by.end() &&
                             request.of != "layout";
  std::vector<ComparedGroups> arranged;
  for (const CaseGroup& group : GroupCases(set, request.by)) {
    ComparedGroups compared{group.levels, {}, {}};
    for (const std::size_t index : group.cases) {
      const auto& levels = set.Cases()[index].levels;
      const std::string where = pools_layouts ? levels[layout] : "";
      if (!compared.by_level.contains(levels[of])) compared.order.push_back(levels[of]);
      compared.by_level[levels[of]][where].cases.push_back(index);
    }
    arranged.push_back(std::move(compared));
  }
  return arranged;
}

struct PairedRounds {
  std::vector<compare::Round> rounds;
  std::vector<double> baseline;
  std::vector<double> value;
  std::vector<std::size_t> runs;
  std::size_t layouts = 0;
  bool positive = true;
  bool whole = true;
};

void AddPairs(const ResultSet& set, const CaseGroup& baseline, const CaseGroup& level,
              std::size_t metric, PairedRounds& pairs) {
  const GroupValues a = ValuesOf(set, baseline, metric);
  const GroupValues b = ValuesOf(set, level, metric);
  std::size_t i = 0;
  bool any = false;
  for (std::size_t j = 0; j < b.values.size(); ++j) {
    while (i < a.values.size() && a.repetitions[i] < b.repetitions[j]) ++i;
    if (i == a.values.size()) break;
    if (a.repetitions[i] != b.repetitions[j]) continue;
    any = true;
    pairs.positive = pairs.positive && a.values[i] > 0 && b.values[j] > 0;
    pairs.whole = pairs.whole && a.values[i] == std::floor(a.values[i]) &&
                  b.values[j] == std::floor(b.values[j]);
    pairs.baseline.push_back(a.values[i]);
    pairs.value.push_back(b.values[j]);
    pairs.rounds.push_back({pairs.layouts + 1, 0, {a.values[i], b.values[j]}});
  }
  pairs.layouts += any ? 1u : 0u;
  pairs.runs.insert(pairs.runs.end(), a.runs.begin(), a.runs.end());
  pairs.runs.insert(pairs.runs.end(), b.runs.begin(), b.runs.end());
}

bool IsConstant(const std::vector<double>& values) {
  return std::ranges::all_of(values, [&](double v) { return v == values.front(); });
}

void Judge(const ResultSet& set, const PairedRounds& pairs, const ComparisonRequest& request,
           LevelRatio& row) {
  row.pairs = pairs.rounds.size();
  if (pairs.rounds.empty()) {
    row.ratio = Absent("no round has both");
    row.baseline = row.ratio;
    row.value = row.ratio;
    return;
  }
  const std::string doubt = set.DoubtOf(pairs.runs, row.metric);
  row.baseline = CentreOf(pairs.baseline, pairs.whole, request.confidence, doubt);
  row.value = CentreOf(pairs.value, pairs.whole, request.confidence, doubt);
  if (!pairs.positive) {
    const bool both_zero = IsConstant(pairs.baseline) && IsConstant(pairs.value) &&
                           pairs.baseline.front() == pairs.value.front();
    row.ratio = Absent("a ratio needs values above 0");
    if (both_zero) row.answer = compare::Answer::kEqual;
    return;
  }
  if (pairs.whole && IsConstant(pairs.baseline) && IsConstant(pairs.value)) {
    // The ratio of two exact counts.
    row.ratio = Known(pairs.value.front() / pairs.baseline.front());
    const double distance = std::abs(row.ratio.Value() - 1);
    row.answer = distance < request.detect ? compare::Answer::kEqual
                 : row.ratio.Value() > 1   ? compare::Answer::kSlower
                                           : compare::Answer::kFaster;
  } else {
    const auto unit = pairs.layouts > 1 ? compare::Unit::kLayout : compare::Unit::kRound;
    const auto logs = compare::LogRatios(pairs.rounds, 1, unit);
    const auto ratio = compare::RatioOf(logs, request.confidence);
    if (ratio) {
      row.ratio = *ratio;
      row.answer = compare::AnswerOf(row.ratio, request.detect);
    } else {
      double mean = 0;
      for (const double log : logs) mean += log / static_cast<double>(logs.size());
      row.ratio = Unbounded(std::exp(mean));
      row.ratio.verdict = Verdict::kDoubtful;
      row.ratio.reason = "too few runs for an interval";
    }
  }
  if (!doubt.empty()) row.ratio = Doubtful(row.ratio, doubt);
}

}  // namespace

std::vector<LevelRatio> CompareLevels(const ResultSet& set, const ComparisonRequest& request) {
  std::vector<LevelRatio> rows;
  for (const ComparedGroups& groups : Arrange(set, request)) {
    const auto baseline = groups.by_level.find(request.baseline);
    if (baseline == groups.by_level.end()) continue;
    for (const std::string& level : groups.order) {
      if (level == request.baseline) continue;
      for (const std::size_t metric : request.metrics) {
        PairedRounds pairs;
        for (const auto& [layout, group] : groups.by_level.at(level)) {
          const auto same = baseline->second.find(layout);
          if (same != baseline->second.end()) AddPairs(set, same->second, group, metric, pairs);
        }
        if (pairs.runs.empty()) continue;
        LevelRatio row{groups.levels, level, metric, {}, {}, {}, compare::Answer::kUndecided, 0};
        Judge(set, pairs, request, row);
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

}  // namespace tare::study_results
