// dtw_path.h: finds the optimal path through the warping matrix in linear memory.
#pragma once

#include <vector>

#include "stats/dtw.h"
#include "stats/dtw_block.h"

namespace tare::stats {

struct WarpPath {
  double distance;
  std::vector<DtwStep> steps;
};

// The distance alone; keeps only one column of the matrix.
double WarpDistance(const WarpProblem& problem);

// The distance and an optimal path.
WarpPath FindWarpPath(const WarpProblem& problem);

}  // namespace tare::stats
