// run_verdict.h: all tests of one run against a baseline, and the verdict.
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

// The additional instructions of the run.
struct Cost {
  Measured baseline;  // instructions of one run
  double run = 0;

  double AddedPercent() const { return 100 * (run / baseline.Value() - 1); }
};

struct Judgement {
  std::string trace;  // name of the trace
  std::vector<InnerRow> inner;
  OuterJudgement outer;
  LocalScores local;
  std::optional<Cost> cost;  // absent if the traces count no instructions

  bool IsPerturbedInside() const;
  // True also if the run cannot be aligned with the baseline.
  bool IsPerturbedOutside() const;
  bool IsPerturbed() const { return IsPerturbedInside() || IsPerturbedOutside(); }
};

// The pair or metric that is farthest from the baseline; null if none is significant.
const InnerRow* WorstInside(const Judgement& judgement);
const OuterRow* WorstOutside(const Judgement& judgement);

// Inner, outer and local tests.
Result<Judgement> JudgeRun(const Baseline& baseline, const OuterBaseline& outer,
                           const TraceSignals& run, const AlignOptions& align,
                           const JudgeOptions& options);

// "perturbed: ..." or "not perturbed: ...", one sentence without the trace's name.
std::string VerdictOf(const Judgement& judgement);

}  // namespace tare::perturb
