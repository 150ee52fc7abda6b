// outer_correlation.cc: warps traces onto each other, then correlates each metric with itself.
#include "analysis/perturb/outer_correlation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/perturb/normalized_signal.h"
#include "analysis/perturb/pair_correlation.h"
#include "base/in_parallel.h"
#include "base/printable.h"
#include "stats/distribution.h"
#include "stats/sample.h"

namespace tare::perturb {
namespace {

std::vector<std::vector<double>> Guides(const Baseline& baseline, const TraceSignals& trace,
                                        const AlignOptions& options) {
  std::vector<std::vector<double>> guides;
  for (const std::string& metric : baseline.metrics) {
    if (!options.by.empty() && metric != options.by) continue;
    guides.push_back(Normalized(trace.Find(metric)->values));
  }
  return guides;
}

// The correlation of each metric with itself in two aligned traces: the mean over the records of
// either. Absent if one is constant.
std::vector<std::optional<double>> SelfCorrelations(const Baseline& baseline,
                                                    const Alignment& alignment,
                                                    const TraceSignals& a, const TraceSignals& b) {
  std::vector<std::optional<double>> correlations;
  for (const std::string& metric : baseline.metrics) {
    const auto& of_a = a.Find(metric)->values;
    const auto& of_b = b.Find(metric)->values;
    const auto on_a = Correlate(Ranked(of_a), Ranked(Warp(alignment, of_b, true)));
    const auto on_b = Correlate(Ranked(of_b), Ranked(Warp(alignment, of_a, false)));
    if (on_a && on_b) {
      correlations.emplace_back(FromFisherZ((FisherZ(*on_a) + FisherZ(*on_b)) / 2));
    } else {
      correlations.emplace_back(std::nullopt);
    }
  }
  return correlations;
}

double MeanCorrelation(std::span<const double> correlations) {
  double sum = 0;
  for (const double correlation : correlations) sum += FisherZ(correlation);
  return FromFisherZ(sum / static_cast<double>(correlations.size()));
}

// Calls `work` with each index below `count`, on all cores; returns the first error.
template <typename Work>
Result<void> ForEach(std::size_t count, Work work) {
  std::vector<Result<void>> results(count);
  InParallel(count, [&](std::size_t at) { results[at] = work(at); });
  for (const Result<void>& result : results) TRY_VOID(result);
  return {};
}

// The lower prediction limit for the quality of one more baseline run.
double LowestExpected(std::span<const double> qualities, const JudgeOptions& options) {
  const stats::Moments moments = stats::MomentsOf(qualities);
  const auto count = static_cast<double>(qualities.size());
  const double t = stats::StudentCritical(1 - 2 * options.alpha, count - 1);
  return moments.mean - t * moments.standard_deviation * std::sqrt(1 + 1 / count);
}

}  // namespace

Result<Alignment> Align(const Baseline& baseline, const TraceSignals& a, const TraceSignals& b,
                        const AlignOptions& options) {
  const auto guides_a = Guides(baseline, a, options);
  const auto guides_b = Guides(baseline, b, options);
  if (guides_a.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("the baseline has no metric {} to align with", Printable(options.by)));
  }
  const std::vector<std::span<const double>> views_a(guides_a.begin(), guides_a.end());
  const std::vector<std::span<const double>> views_b(guides_b.begin(), guides_b.end());
  const std::size_t longer = std::max(a.length(), b.length());
  const std::size_t shorter = std::min(a.length(), b.length());
  stats::DtwOptions how;
  how.band =
      std::max(longer - shorter,
               static_cast<std::size_t>(std::ceil(options.band * static_cast<double>(longer))));
  TRY(auto aligned, stats::DtwAlign(views_a, views_b, how));
  return Alignment{std::move(aligned.path), aligned.quality.Overall()};
}

std::vector<double> Warp(const Alignment& alignment, std::span<const double> of, bool second) {
  const std::size_t length = second ? alignment.path.back().a + 1 : alignment.path.back().b + 1;
  std::vector<double> sums(length);
  std::vector<double> counts(length);
  for (const stats::DtwStep& step : alignment.path) {
    const std::size_t to = second ? step.a : step.b;
    sums[to] += of[second ? step.b : step.a];
    counts[to] += 1;
  }
  for (std::size_t i = 0; i < length; ++i) sums[i] /= counts[i];
  return sums;
}

std::size_t MostTypical(const OuterBaseline& outer) {
  return static_cast<std::size_t>(std::ranges::max_element(outer.qualities) -
                                  outer.qualities.begin());
}

Result<OuterBaseline> MakeOuterBaseline(const Baseline& baseline, const AlignOptions& options) {
  const std::size_t runs = baseline.runs.size();
  struct PairOfRuns {
    std::size_t first;
    std::size_t second;
    std::vector<std::optional<double>> correlations;
    double quality = 0;
  };
  std::vector<PairOfRuns> pairs;
  for (std::size_t i = 0; i < runs; ++i) {
    for (std::size_t j = i + 1; j < runs; ++j) pairs.push_back({i, j, {}, 0});
  }
  TRY_VOID(ForEach(pairs.size(), [&](std::size_t at) -> Result<void> {
    PairOfRuns& pair = pairs[at];
    const TraceSignals& a = baseline.runs[pair.first];
    const TraceSignals& b = baseline.runs[pair.second];
    TRY(const auto alignment, Align(baseline, a, b, options));
    pair.correlations = SelfCorrelations(baseline, alignment, a, b);
    pair.quality = alignment.quality;
    return {};
  }));
  OuterBaseline outer;
  outer.correlations.resize(baseline.metrics.size());
  for (std::size_t run = 0; run < runs; ++run) {
    std::vector<double> qualities;
    std::vector<std::vector<double>> of_metric(baseline.metrics.size());
    for (const PairOfRuns& pair : pairs) {
      if (pair.first != run && pair.second != run) continue;
      qualities.push_back(pair.quality);
      for (std::size_t metric = 0; metric < of_metric.size(); ++metric) {
        // A signal is constant after warping only if it was nearly constant before.
        of_metric[metric].push_back(pair.correlations[metric].value_or(0));
      }
    }
    outer.qualities.push_back(stats::MomentsOf(qualities).mean);
    for (std::size_t metric = 0; metric < of_metric.size(); ++metric) {
      outer.correlations[metric].push_back(MeanCorrelation(of_metric[metric]));
    }
  }
  return outer;
}

Result<OuterJudgement> JudgeOuter(const Baseline& baseline, const OuterBaseline& outer,
                                  const TraceSignals& run, const AlignOptions& align,
                                  const JudgeOptions& options) {
  const std::size_t runs = baseline.runs.size();
  std::vector<std::vector<std::optional<double>>> correlations(runs);
  std::vector<double> qualities(runs);
  TRY_VOID(ForEach(runs, [&](std::size_t at) -> Result<void> {
    TRY(const auto alignment, Align(baseline, baseline.runs[at], run, align));
    correlations[at] = SelfCorrelations(baseline, alignment, baseline.runs[at], run);
    qualities[at] = alignment.quality;
    return {};
  }));
  OuterJudgement judgement;
  judgement.quality = stats::MomentsOf(qualities).mean;
  const double min_quality = std::min(align.min_quality, LowestExpected(outer.qualities, options));
  if (judgement.quality < min_quality) {
    judgement.refused = fmt::format(
        "the run cannot be aligned with the baseline: the alignment quality is {:.2f}, and at "
        "least "
        "{:.2f} "
        "was expected",
        judgement.quality, min_quality);
    return judgement;
  }
  std::vector<Judged> of_metrics;
  for (std::size_t metric = 0; metric < baseline.metrics.size(); ++metric) {
    OuterRow row;
    row.metric = baseline.metrics[metric];
    std::vector<double> with_each;
    for (const auto& of_run : correlations) {
      if (of_run[metric]) with_each.push_back(*of_run[metric]);
    }
    if (with_each.size() == runs) row.correlation = MeanCorrelation(with_each);
    row.judged = Spread(outer.correlations[metric])
                     .Judge(row.correlation.value_or(0), Side::kLower, 1 - options.alpha,
                            options.min_change);
    if (!row.correlation) row.judged = WithoutCorrelation(row.judged);
    of_metrics.push_back(row.judged);
    judgement.rows.push_back(std::move(row));
  }
  const LargestByChance chance(outer.correlations, Side::kLower, options.min_change);
  TRY(const auto adjusted, Adjusted(of_metrics, chance, options.alpha));
  for (std::size_t metric = 0; metric < adjusted.size(); ++metric) {
    judgement.rows[metric].adjusted = adjusted[metric];
    judgement.rows[metric].significant = adjusted[metric] < options.alpha;
  }
  return judgement;
}

}  // namespace tare::perturb
