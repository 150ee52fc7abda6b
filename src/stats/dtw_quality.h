// dtw_quality.h: rates an alignment by comparing it with random pairing.
#pragma once

#include <span>

#include "stats/dtw.h"
#include "stats/dtw_block.h"

namespace tare::stats {

// The mean cost over all pairs of a sample of `a` and a sample of `b`, which is the expected cost
// of random pairing. Both need at least one sample.
double MeanPairCost(std::span<const double> a, std::span<const double> b, DtwCost cost);

DtwQuality AssessAlignment(const WarpProblem& problem, double distance,
                           std::span<const DtwStep> path);

}  // namespace tare::stats
