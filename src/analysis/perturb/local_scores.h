// local_scores.h: where in time a run differs from the baseline.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/perturb/baseline.h"
#include "analysis/perturb/inner_correlation.h"
#include "analysis/perturb/outer_correlation.h"
#include "base/result.h"

namespace tare::perturb {

// A range of the reference run's records. `score`: how much farther the run is from the reference
// there than the other baseline runs are, in standard deviations.
struct LocalScore {
  std::size_t from;
  std::size_t to;  // after the last
  double score;
  bool significant;  // after Holm's correction over all ranges
};

struct LocalScores {
  std::size_t reference = 0;  // index of the most typical baseline run
  std::vector<LocalScore> stretches;
};

// Splits the trace into `stretches` equal ranges, fewer if there are too few records. One-sided:
// tests only for larger distances.
Result<LocalScores> ScoreLocally(const Baseline& baseline, const OuterBaseline& outer,
                                 const TraceSignals& run, std::size_t stretches,
                                 const AlignOptions& align, const JudgeOptions& options);

}  // namespace tare::perturb
