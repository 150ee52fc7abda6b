// run_verdict.h: everything that is found out about one run beside a baseline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/perturb/inner_correlation.h"
#include "analysis/perturb/local_scores.h"
#include "analysis/perturb/outer_correlation.h"
#include "base/result.h"
#include "stats/interval.h"

namespace tare::perturb {

// What the run had more to do than the baseline's runs.
struct Cost {
  stats::Estimate baseline;  // instructions of one run
  double run = 0;

  double AddedPercent() const { return 100 * (run / baseline.value - 1); }
};

struct Judgement {
  std::string trace;  // its name
  std::vector<InnerRow> inner;
  OuterJudgement outer;
  LocalScores local;
  std::optional<Cost> cost;  // absent where the traces count no instructions

  bool IsPerturbedInside() const;
  // Or cannot be laid over the baseline at all.
  bool IsPerturbedOutside() const;
  bool IsPerturbed() const { return IsPerturbedInside() || IsPerturbedOutside(); }
};

// The pair, or the metric, that is farthest from the baseline; null when none is significant.
const InnerRow* WorstInside(const Judgement& judgement);
const OuterRow* WorstOutside(const Judgement& judgement);

// Inside, outside, and along the trace.
Result<Judgement> JudgeRun(const Baseline& baseline, const OuterBaseline& outer,
                           const TraceSignals& run, const AlignOptions& align,
                           const JudgeOptions& options);

// "perturbed: ..." or "not perturbed: ...", in one sentence without the trace's name.
std::string VerdictOf(const Judgement& judgement);

}  // namespace tare::perturb
