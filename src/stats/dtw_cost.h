// dtw_cost.h: the cost of pairing two samples in dynamic time warping.
#pragma once

namespace tare::stats {

enum class DtwCost {
  kAbsolute,  // |a - b|
  kSquared,   // (a - b)^2
};

}  // namespace tare::stats
