// dtw_quality.h: whether an alignment is better than chance.
#pragma once

#include <span>

#include "stats/dtw.h"
#include "stats/dtw_block.h"

namespace tare::stats {

// The mean cost over all pairs of a sample of `a` and a sample of `b`, which is what pairing them
// at random costs on average. Both hold one sample or more.
double MeanPairCost(std::span<const double> a, std::span<const double> b, DtwCost cost);

DtwQuality JudgeAlignment(const WarpProblem& problem, double distance,
                          std::span<const DtwStep> path);

}  // namespace tare::stats
