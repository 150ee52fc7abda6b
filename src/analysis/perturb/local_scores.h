// local_scores.h: where in time a run differs from the baseline.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/perturb/baseline.h"
#include "analysis/perturb/inner_correlation.h"
#include "analysis/perturb/outer_correlation.h"
#include "base/result.h"

namespace tare::perturb {

// A stretch of the reference run's records. `score`: how many deviations the run is farther from
// the reference there than other runs of the baseline are.
struct LocalScore {
  std::size_t from;
  std::size_t to;  // behind the last
  double score;
  bool significant;  // after Holm's correction over all stretches
};

struct LocalScores {
  std::size_t reference = 0;  // of the baseline's runs: the one that is most like the others
  std::vector<LocalScore> stretches;
};

// `stretches` of equal length, fewer where there are too few records. Farther is looked for only.
Result<LocalScores> ScoreLocally(const Baseline& baseline, const OuterBaseline& outer,
                                 const TraceSignals& run, std::size_t stretches,
                                 const AlignOptions& align, const JudgeOptions& options);

}  // namespace tare::perturb
