// metric_correlation.cc: Spearman's coefficients of each level.
#include "analysis/study_results/metric_correlation.h"

#include <algorithm>
#include <map>

#include "stats/correlation.h"

namespace tare::study_results {
namespace {

struct Columns {
  std::vector<double> x;
  std::vector<double> y;
};

// The values of both metrics in all runs of a level that have both.
Columns ValuesOfLevel(const ResultSet& set, std::size_t factor, const std::string& level,
                      std::size_t first, std::size_t second) {
  Columns columns;
  for (const ResultCase& one : set.Cases()) {
    if (one.levels[factor] != level) continue;
    for (const std::size_t run : one.runs) {
      const auto x = set.Value(run, first);
      const auto y = set.Value(run, second);
      if (!x || !y) continue;
      columns.x.push_back(*x);
      columns.y.push_back(*y);
    }
  }
  return columns;
}

}  // namespace

std::vector<CorrelationChange> CompareCorrelations(const ResultSet& set, const std::string& of,
                                                   const std::string& baseline,
                                                   const std::vector<std::size_t>& metrics,
                                                   double confidence) {
  std::vector<CorrelationChange> rows;
  const std::size_t factor = set.FactorIndex(of);
  if (factor >= set.Factors().size()) return rows;
  std::vector<std::string> levels;
  for (const ResultCase& one : set.Cases()) {
    const std::string& level = one.levels[factor];
    if (level != baseline && std::ranges::find(levels, level) == levels.end()) {
      levels.push_back(level);
    }
  }
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    for (std::size_t j = i + 1; j < metrics.size(); ++j) {
      const Columns base = ValuesOfLevel(set, factor, baseline, metrics[i], metrics[j]);
      const auto expected = stats::Spearman(base.x, base.y, confidence);
      if (!expected) continue;
      for (const std::string& level : levels) {
        const Columns columns = ValuesOfLevel(set, factor, level, metrics[i], metrics[j]);
        const auto found = stats::Spearman(columns.x, columns.y, confidence);
        if (!found) continue;
        CorrelationChange row{metrics[i], metrics[j], level,           *expected,
                              *found,     false,      columns.x.size()};
        row.differs = found->High() < expected->Low() || found->Low() > expected->High();
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

}  // namespace tare::study_results
