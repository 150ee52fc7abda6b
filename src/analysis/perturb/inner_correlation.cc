// inner_correlation.cc: tests each pair against the baseline's spread, corrected for their number.
#include "analysis/perturb/inner_correlation.h"

#include <cmath>

#include "analysis/perturb/pair_correlation.h"

namespace tare::perturb {

Result<std::vector<InnerRow>> JudgeInner(const Baseline& baseline, const TraceSignals& run,
                                         const JudgeOptions& options) {
  TRY_VOID(RequireSameKind(baseline.runs.front(), run));
  TRY(const auto ranked, RankedMetrics(run, baseline.metrics));
  std::vector<InnerRow> rows;
  std::vector<Judged> interesting;
  std::vector<std::vector<double>> tests;  // baseline correlations of the interesting pairs
  for (std::size_t pair = 0; pair < baseline.pairs.size(); ++pair) {
    const auto [first, second] = baseline.pairs[pair];
    InnerRow row;
    row.first = baseline.metrics[first];
    row.second = baseline.metrics[second];
    row.run = Correlate(ranked[first], ranked[second]);
    row.judged = baseline.SpreadOf(pair).Judge(row.run.value_or(0), Side::kBoth, 1 - options.alpha,
                                               options.min_change);
    if (!row.run) row.judged = WithoutCorrelation(row.judged);
    row.interesting = std::abs(row.judged.baseline) >= kInteresting ||
                      std::abs(row.run.value_or(0)) >= kInteresting;
    if (row.interesting) {
      interesting.push_back(row.judged);
      tests.push_back(baseline.correlations[pair]);
    }
    rows.push_back(std::move(row));
  }
  const LargestByChance chance(tests, Side::kBoth, options.min_change);
  TRY(const auto adjusted, Adjusted(interesting, chance, options.alpha));
  std::size_t next = 0;
  for (InnerRow& row : rows) {
    if (!row.interesting) continue;
    row.adjusted = adjusted[next++];
    row.significant = row.adjusted < options.alpha;
  }
  return rows;
}

}  // namespace tare::perturb
