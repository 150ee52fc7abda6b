// study_difference.cc: cases of two studies with the same levels.
#include "analysis/study_results/study_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/study/study_conditions.h"
#include "analysis/study_results/group_summary.h"
#include "stats/interval.h"

namespace tare::study_results {
namespace {

bool IsConstantWhole(const std::vector<double>& values) {
  return std::ranges::all_of(values,
                             [&](double v) { return v == values.front() && v == std::floor(v); });
}

// The values of a metric in one of the studies, and why they are doubtful.
struct Side {
  std::vector<double> values;
  std::string doubt;
};

void JudgeRatio(const std::vector<double>& before, const std::vector<double>& after, bool exact,
                double detect, double confidence, CaseDifference& row) {
  if (!(row.before.Value() > 0)) {
    row.ratio = Absent("the value before is not above 0");
    if (exact && before.front() == after.front()) row.answer = compare::Answer::kEqual;
    return;
  }
  if (exact) {
    row.ratio = Known(after.front() / before.front());
    row.answer = std::abs(row.ratio.Value() - 1) < detect ? compare::Answer::kEqual
                 : row.ratio.Value() > 1                  ? compare::Answer::kSlower
                                                          : compare::Answer::kFaster;
    return;
  }
  // Fieller's interval of logarithms would need positive values; that of the means does not.
  const auto ratio = stats::RatioOfMeansInterval(after, before, confidence);
  if (!ratio) {
    row.ratio =
        Doubtful(Unbounded(row.after.Value() / row.before.Value()), "too few runs for an interval");
    return;
  }
  row.ratio = *ratio;
  row.answer = compare::AnswerOf(row.ratio, detect);
}

void Judge(const Side& before, const Side& after, double detect, double confidence,
           CaseDifference& row) {
  const bool exact = IsConstantWhole(before.values) && IsConstantWhole(after.values);
  row.before = CentreOf(before.values, exact, confidence, before.doubt);
  row.after = CentreOf(after.values, exact, confidence, after.doubt);
  JudgeRatio(before.values, after.values, exact, detect, confidence, row);
  const std::string& doubt = before.doubt.empty() ? after.doubt : before.doubt;
  if (!doubt.empty() && row.ratio.value) row.ratio = Doubtful(row.ratio, doubt);
}

const study::ConditionFacts* FirstConditions(const ResultSet& set) {
  if (set.Stored().runs.empty()) return nullptr;
  return &set.Stored().conditions[set.Stored().runs.front().conditions];
}

}  // namespace

StudyDifference CompareStudies(const ResultSet& before, const ResultSet& after,
                               const std::vector<std::string>& metrics, double detect,
                               double confidence) {
  StudyDifference difference;
  for (const std::string& factor : before.Factors()) {
    if (after.FactorIndex(factor) < after.Factors().size()) difference.factors.push_back(factor);
  }
  const auto groups_before = GroupCases(before, difference.factors);
  const auto groups_after = GroupCases(after, difference.factors);
  std::map<std::vector<std::string>, const CaseGroup*> others;
  for (const CaseGroup& group : groups_after) others[group.levels] = &group;
  for (const CaseGroup& group : groups_before) {
    const auto other = others.find(group.levels);
    if (other == others.end()) {
      difference.only_before.push_back(group.levels);
      continue;
    }
    for (const std::string& name : metrics) {
      const auto a = before.MetricIndex(name);
      const auto b = after.MetricIndex(name);
      if (!a || !b) continue;
      const GroupValues x = ValuesOf(before, group, *a);
      const GroupValues y = ValuesOf(after, *other->second, *b);
      if (x.values.empty() || y.values.empty()) continue;
      CaseDifference row;
      row.levels = group.levels;
      row.metric = name;
      row.unit = before.Stored().metrics[*a].unit;
      Judge({x.values, before.DoubtOf(x.runs, *a)}, {y.values, after.DoubtOf(y.runs, *b)}, detect,
            confidence, row);
      difference.rows.push_back(std::move(row));
    }
    others.erase(other);
  }
  for (const CaseGroup& group : groups_after) {
    if (others.contains(group.levels)) difference.only_after.push_back(group.levels);
  }
  const auto* first = FirstConditions(before);
  const auto* second = FirstConditions(after);
  if (first == nullptr || second == nullptr) return difference;
  for (const std::string& fact : study::ChangedFacts(*first, *second)) {
    if (study::IsCaseFact(fact)) continue;
    const auto value = [&](const study::ConditionFacts& facts) {
      const auto found = facts.find(fact);
      return found == facts.end() ? std::string("unknown") : found->second;
    };
    difference.conditions.push_back(
        fmt::format("{}: {} before, {} after", fact, value(*first), value(*second)));
  }
  return difference;
}

}  // namespace tare::study_results
