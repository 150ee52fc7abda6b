// run_verdict.cc: combines the tests and phrases the verdict.
#include "analysis/perturb/run_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tare::perturb {
namespace {

constexpr std::size_t kStretches = 40;

template <typename Row>
const Row* MostChanged(const std::vector<Row>& rows, auto change) {
  const Row* worst = nullptr;
  for (const Row& row : rows) {
    if (row.significant && (worst == nullptr || change(row) > change(*worst))) worst = &row;
  }
  return worst;
}

std::optional<Cost> CostOf(const Baseline& baseline, const TraceSignals& run,
                           const JudgeOptions& options) {
  const auto instructions = run.Instructions();
  std::vector<double> before;
  for (const TraceSignals& one : baseline.runs) {
    if (const auto count = one.Instructions()) before.push_back(*count);
  }
  if (!instructions || before.size() != baseline.runs.size()) return std::nullopt;
  const auto mean = stats::MeanInterval(before, 1 - options.alpha);
  if (!mean || mean->Value() <= 0) return std::nullopt;
  return Cost{*mean, *instructions};
}

std::string InnerSentence(const Judgement& judgement) {
  const InnerRow* const worst = WorstInside(judgement);
  if (worst == nullptr) return "";
  const auto count = std::ranges::count_if(judgement.inner, &InnerRow::significant);
  const std::string pairs = fmt::format(
      "the correlation of {} of metrics changed, most for {} and {}",
      count == 1 ? "1 pair" : fmt::format("{} pairs", count), worst->first, worst->second);
  if (!worst->run) return pairs + ", one of which is now constant";
  return fmt::format("{}: {:.2f} instead of {:.2f}", pairs, std::abs(*worst->run),
                     std::abs(worst->judged.baseline));
}

std::string OuterSentence(const Judgement& judgement) {
  if (!judgement.outer.refused.empty()) return judgement.outer.refused;
  const OuterRow* const worst = WorstOutside(judgement);
  if (worst == nullptr) return "";
  const auto count = std::ranges::count_if(judgement.outer.rows, &OuterRow::significant);
  return fmt::format("{} with the baseline, lowest for {}: {:.2f} instead of {:.2f}",
                     count == 1 ? "1 metric no longer correlates"
                                : fmt::format("{} metrics no longer correlate", count),
                     worst->metric, worst->correlation.value_or(0), worst->judged.baseline);
}

}  // namespace

bool Judgement::IsPerturbedInside() const {
  return std::ranges::any_of(inner, &InnerRow::significant);
}

bool Judgement::IsPerturbedOutside() const {
  return !outer.refused.empty() || std::ranges::any_of(outer.rows, &OuterRow::significant);
}

const InnerRow* WorstInside(const Judgement& judgement) {
  return MostChanged(judgement.inner, [](const InnerRow& row) {
    return row.run ? std::abs(std::abs(*row.run) - std::abs(row.judged.baseline)) : 2.0;
  });
}

const OuterRow* WorstOutside(const Judgement& judgement) {
  return MostChanged(judgement.outer.rows, [](const OuterRow& row) {
    return row.correlation ? row.judged.baseline - *row.correlation : 2.0;
  });
}

Result<Judgement> JudgeRun(const Baseline& baseline, const OuterBaseline& outer,
                           const TraceSignals& run, const AlignOptions& align,
                           const JudgeOptions& options) {
  Judgement judgement;
  judgement.trace = run.name;
  TRY(judgement.inner, JudgeInner(baseline, run, options));
  TRY(judgement.outer, JudgeOuter(baseline, outer, run, align, options));
  TRY(judgement.local, ScoreLocally(baseline, outer, run, kStretches, align, options));
  judgement.cost = CostOf(baseline, run, options);
  return judgement;
}

std::string VerdictOf(const Judgement& judgement) {
  const std::string inner = InnerSentence(judgement);
  const std::string outer = OuterSentence(judgement);
  if (inner.empty() && outer.empty()) {
    return "not perturbed: all correlations are consistent with those of the baseline's runs.";
  }
  if (inner.empty()) return fmt::format("perturbed outside: {}.", outer);
  if (outer.empty()) return fmt::format("perturbed inside: {}.", inner);
  return fmt::format("perturbed inside and outside: {}; {}.", inner, outer);
}

}  // namespace tare::perturb
