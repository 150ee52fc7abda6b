// dtw_cost.h: what pairing two samples costs when signals are aligned.
#pragma once

namespace tare::stats {

enum class DtwCost {
  kAbsolute,  // |a - b|
  kSquared,   // (a - b)^2
};

}  // namespace tare::stats
