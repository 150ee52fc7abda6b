// document_method.cc: sections 2.2, 2.3 and 3.3 of Understanding Measurement Perturbation in
// Trace-based Data.
#include "analysis/perturb/document_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/perturb/pair_correlation.h"
#include "base/in_parallel.h"

namespace tare::perturb {
namespace {

// The rounding error of equal correlations is not a deviation.
constexpr double kRounding = 1e-12;

Result<std::vector<std::optional<double>>> OuterWithFirst(const Baseline& baseline,
                                                          const TraceSignals& run,
                                                          const AlignOptions& align) {
  const TraceSignals& first = baseline.runs.front();
  TRY(const auto alignment, Align(baseline, first, run, align));
  std::vector<std::optional<double>> correlations;
  for (const std::string& metric : baseline.metrics) {
    correlations.push_back(
        PathCorrelation(alignment, first.Find(metric)->values, run.Find(metric)->values));
  }
  return correlations;
}

std::string DocumentInnerSentence(const DocumentJudgement& judgement) {
  const DocumentInner* worst = nullptr;
  for (const DocumentInner& row : judgement.inner) {
    if (!row.significant) continue;
    if (worst == nullptr || row.deviation > worst->deviation) worst = &row;
  }
  if (worst == nullptr) return "";
  const auto count = std::ranges::count_if(judgement.inner, &DocumentInner::significant);
  return fmt::format(
      "{} of metrics {} more than in any identical run, most {} and {}: {:.2f} "
      "instead of {:.2f}",
      count == 1 ? "1 pair" : fmt::format("{} pairs", count), count == 1 ? "deviates" : "deviate",
      worst->first, worst->second, std::abs(worst->run.value_or(0)), worst->baseline);
}

std::string DocumentOuterSentence(const DocumentJudgement& judgement) {
  const DocumentOuter* worst = nullptr;
  for (const DocumentOuter& row : judgement.outer) {
    if (!row.significant) continue;
    if (worst == nullptr || row.deviation > worst->deviation) worst = &row;
  }
  if (worst == nullptr) return "";
  const auto count = std::ranges::count_if(judgement.outer, &DocumentOuter::significant);
  return fmt::format("{} from 1 more than in any identical run, most {}: {:.2f}",
                     count == 1 ? "1 metric deviates" : fmt::format("{} metrics deviate", count),
                     worst->metric, worst->correlation.value_or(0));
}

}  // namespace

std::optional<double> PathCorrelation(const Alignment& alignment, std::span<const double> a,
                                      std::span<const double> b) {
  std::vector<double> along_a;
  std::vector<double> along_b;
  for (const stats::DtwStep& step : alignment.path) {
    along_a.push_back(a[step.a]);
    along_b.push_back(b[step.b]);
  }
  return Correlate(Ranked(along_a), Ranked(along_b));
}

Result<DocumentBaseline> MakeDocumentBaseline(const Baseline& baseline, const AlignOptions& align) {
  DocumentBaseline document;
  for (const std::vector<double>& of_runs : baseline.correlations) {
    double largest = 0;
    for (const double one : of_runs) {
      largest = std::max(largest, std::abs(std::abs(one) - std::abs(of_runs.front())));
    }
    document.inner.push_back(largest);
  }
  document.outer.resize(baseline.metrics.size());
  std::vector<Result<std::vector<std::optional<double>>>> outer(baseline.runs.size() - 1);
  InParallel(outer.size(), [&](std::size_t at) {
    outer[at] = OuterWithFirst(baseline, baseline.runs[at + 1], align);
  });
  for (const auto& of_run : outer) {
    if (!of_run) return std::unexpected(of_run.error());
    for (std::size_t metric = 0; metric < document.outer.size(); ++metric) {
      document.outer[metric] = std::max(document.outer[metric], 1 - (*of_run)[metric].value_or(0));
    }
  }
  return document;
}

Result<DocumentJudgement> JudgeByDocument(const Baseline& baseline,
                                          const DocumentBaseline& document, const TraceSignals& run,
                                          const AlignOptions& align) {
  TRY_VOID(RequireSameKind(baseline.runs.front(), run));
  TRY(const auto ranked, RankedMetrics(run, baseline.metrics));
  DocumentJudgement judgement;
  for (std::size_t pair = 0; pair < baseline.pairs.size(); ++pair) {
    const auto [first, second] = baseline.pairs[pair];
    DocumentInner row;
    row.first = baseline.metrics[first];
    row.second = baseline.metrics[second];
    row.baseline = std::abs(baseline.correlations[pair].front());
    row.run = Correlate(ranked[first], ranked[second]);
    row.observed = document.inner[pair];
    if (row.run) row.deviation = std::abs(std::abs(*row.run) - row.baseline);
    row.interesting = row.baseline >= kInteresting || std::abs(row.run.value_or(0)) >= kInteresting;
    row.significant = row.interesting && (!row.run || row.deviation > row.observed + kRounding);
    judgement.inner.push_back(std::move(row));
  }
  TRY(const auto outer, OuterWithFirst(baseline, run, align));
  for (std::size_t metric = 0; metric < baseline.metrics.size(); ++metric) {
    DocumentOuter row;
    row.metric = baseline.metrics[metric];
    row.correlation = outer[metric];
    row.deviation = 1 - row.correlation.value_or(0);
    row.observed = document.outer[metric];
    row.significant = !row.correlation || row.deviation > row.observed + kRounding;
    judgement.outer.push_back(std::move(row));
  }
  return judgement;
}

bool DocumentJudgement::IsPerturbedInside() const {
  return std::ranges::any_of(inner, &DocumentInner::significant);
}

bool DocumentJudgement::IsPerturbedOutside() const {
  return std::ranges::any_of(outer, &DocumentOuter::significant);
}

std::string VerdictOf(const DocumentJudgement& judgement) {
  const std::string inside = DocumentInnerSentence(judgement);
  const std::string outside = DocumentOuterSentence(judgement);
  if (inside.empty() && outside.empty()) {
    return "not perturbed: no correlation deviates more than in an identical run.";
  }
  if (inside.empty()) return fmt::format("perturbed outside: {}.", outside);
  if (outside.empty()) return fmt::format("perturbed inside: {}.", inside);
  return fmt::format("perturbed inside and outside: {}; {}.", inside, outside);
}

}  // namespace tare::perturb
