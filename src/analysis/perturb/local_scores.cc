// local_scores.cc: distances along the alignment, by range of records.
#include "analysis/perturb/local_scores.h"

#include <algorithm>
#include <cmath>

#include "analysis/perturb/normalized_signal.h"
#include "stats/correction.h"
#include "stats/distribution.h"
#include "stats/sample.h"

namespace tare::perturb {
namespace {

constexpr std::size_t kMinRecords = 5;  // per range

// The mean distance of aligned records, by range of `a`.
Result<std::vector<double>> Distances(const Baseline& baseline, const TraceSignals& a,
                                      const TraceSignals& b, std::size_t stretches,
                                      const AlignOptions& align) {
  TRY(const auto alignment, Align(baseline, a, b, align));
  std::vector<double> sums(stretches);
  std::vector<double> counts(stretches);
  for (const std::string& metric : baseline.metrics) {
    const auto of_a = Normalized(a.Find(metric)->values);
    const auto of_b = Normalized(b.Find(metric)->values);
    for (const stats::DtwStep& step : alignment.path) {
      const std::size_t stretch = step.a * stretches / a.length();
      sums[stretch] += std::abs(of_a[step.a] - of_b[step.b]);
      counts[stretch] += 1;
    }
  }
  for (std::size_t i = 0; i < stretches; ++i) sums[i] /= counts[i];
  return sums;
}

}  // namespace

Result<LocalScores> ScoreLocally(const Baseline& baseline, const OuterBaseline& outer,
                                 const TraceSignals& run, std::size_t stretches,
                                 const AlignOptions& align, const JudgeOptions& options) {
  LocalScores scores;
  scores.reference = MostTypical(outer);
  const TraceSignals& reference = baseline.runs[scores.reference];
  stretches = std::clamp<std::size_t>(reference.length() / kMinRecords, 1, stretches);
  std::vector<std::vector<double>> usual(stretches);  // by range, then by run
  for (std::size_t i = 0; i < baseline.runs.size(); ++i) {
    if (i == scores.reference) continue;
    TRY(const auto distances, Distances(baseline, reference, baseline.runs[i], stretches, align));
    for (std::size_t at = 0; at < stretches; ++at) usual[at].push_back(distances[at]);
  }
  TRY(const auto own, Distances(baseline, reference, run, stretches, align));
  std::vector<double> p_values;
  for (std::size_t at = 0; at < stretches; ++at) {
    const stats::Moments moments = stats::MomentsOf(usual[at]);
    const double scale = moments.standard_deviation * std::sqrt(1 + 1 / moments.count);
    const double farther = own[at] - moments.mean;
    const bool equal = scale < 1e-12;
    const double score = equal ? 0 : farther / scale;
    scores.stretches.push_back({at * reference.length() / stretches,
                                (at + 1) * reference.length() / stretches, score, false});
    if (farther <= 0) {
      p_values.push_back(1);
    } else if (equal) {
      p_values.push_back(farther > options.min_change ? 0 : 1);
    } else {
      p_values.push_back(stats::StudentTwoSided(score, moments.count - 1) / 2);
    }
  }
  TRY(const auto adjusted, stats::Holm(p_values));
  for (std::size_t at = 0; at < stretches; ++at) {
    scores.stretches[at].significant = adjusted[at] < options.alpha;
  }
  return scores;
}

}  // namespace tare::perturb
