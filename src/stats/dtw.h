// dtw.h: dynamic time warping: how alike two signals are when either may run faster or slower.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "stats/dtw_cost.h"

namespace tare::stats {

struct DtwOptions {
  DtwCost cost = DtwCost::kAbsolute;
  // Sakoe-Chiba band: sample i meets sample j only where |i - j| <= band. None: all may meet.
  std::optional<std::size_t> band = std::nullopt;
};

// Sample `a` of the first signal meets sample `b` of the second.
struct DtwStep {
  std::size_t a;
  std::size_t b;

  friend bool operator==(const DtwStep&, const DtwStep&) = default;
};

// How good an alignment is; every figure lies in [0, 1] and 1 is perfect.
struct DtwQuality {
  // 1 - (mean cost of a step of the path) / (mean cost of all pairs of samples). The divisor is
  // what pairing the samples at random would cost. 1 where both are 0.
  double match;
  // 1 - 2 * mean distance of the path from the straight line between its ends, in units of the
  // signals' lengths; 0 for a path along the edges.
  double straightness;

  // Unrelated noises reach 0.75: what is below is no alignment. 0.9 and more is good.
  double Overall() const { return match * straightness; }
};

struct DtwAlignment {
  double distance;            // the sum of the path's costs
  std::vector<DtwStep> path;  // from both first samples to both last; steps of 0 or 1 in each
  DtwQuality quality;
};

// Signals recorded together, all of the same length.
using Signals = std::span<const std::span<const double>>;

// The smallest sum of costs over all paths (Sakoe and Chiba 1978, symmetric, without slope
// constraint). Signals are not rescaled; no root is taken of squared costs. Fails on empty or
// non-finite signals, on a band narrower than the difference in length, and where the sum
// overflows. Memory grows with the length, not with its square; so too for the path.
Result<double> DtwDistance(std::span<const double> a, std::span<const double> b,
                           const DtwOptions& options = {});

// Many signals at once: the cost is the sum over signal s of the cost of a[s] and b[s], so all are
// warped alike. Signals in unlike units must be brought to like scale first.
Result<double> DtwDistance(Signals a, Signals b, const DtwOptions& options = {});

// With the path. Of equally good paths the one that is found prefers, from the end, to step in
// both, then in `a`, then in `b`.
Result<DtwAlignment> DtwAlign(std::span<const double> a, std::span<const double> b,
                              const DtwOptions& options = {});
Result<DtwAlignment> DtwAlign(Signals a, Signals b, const DtwOptions& options = {});

}  // namespace tare::stats
