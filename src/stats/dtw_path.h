// dtw_path.h: the way back through the warping matrix, in memory that grows with the length only.
#pragma once

#include <vector>

#include "stats/dtw.h"
#include "stats/dtw_block.h"

namespace tare::stats {

struct WarpPath {
  double distance;
  std::vector<DtwStep> steps;
};

// The distance alone: one column of the matrix is kept.
double WarpDistance(const WarpProblem& problem);

// The distance and a best path.
WarpPath FindWarpPath(const WarpProblem& problem);

}  // namespace tare::stats
