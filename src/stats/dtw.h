// dtw.h: dynamic time warping: distance and alignment of two signals that run at varying speeds.
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
  // Sakoe-Chiba band: samples i and j may be paired only if |i - j| <= band. Default: no band.
  std::optional<std::size_t> band = std::nullopt;
};

// Pairs sample `a` of the first signal with sample `b` of the second.
struct DtwStep {
  std::size_t a;
  std::size_t b;

  friend bool operator==(const DtwStep&, const DtwStep&) = default;
};

// The quality of an alignment. Each number is in [0, 1]; 1 is perfect.
struct DtwQuality {
  // 1 - (mean cost per step of the path) / (mean cost of all pairs of samples). The divisor is the
  // expected cost of pairing the samples at random. 1 if both are 0.
  double match;
  // 1 - 2 * (mean distance of the path from the straight line between its ends), in units of the
  // signals' lengths; 0 for a path along the edges of the matrix.
  double straightness;

  // Unrelated noise reaches 0.75, so a lower value means that there is no alignment. 0.9 and above
  // is good.
  double Overall() const { return match * straightness; }
};

struct DtwAlignment {
  double distance;            // the sum of the costs along the path
  std::vector<DtwStep> path;  // from both first to both last samples, in steps of 0 or 1
  DtwQuality quality;
};

// Signals recorded together, all of the same length.
using Signals = std::span<const std::span<const double>>;

// The minimum sum of costs over all paths (Sakoe and Chiba 1978, symmetric, without slope
// constraint). Signals are not rescaled, and no square root is taken of squared costs. Fails on
// empty or non-finite signals, on a band narrower than the difference in length, and if the sum
// overflows. Memory is linear in the length, also for the path.
Result<double> DtwDistance(std::span<const double> a, std::span<const double> b,
                           const DtwOptions& options = {});

// Several signals at once: the cost is the sum over all signals s of the cost of a[s] and b[s], so
// all are warped in the same way. The caller must rescale signals of different units first.
Result<double> DtwDistance(Signals a, Signals b, const DtwOptions& options = {});

// Also returns the path. Among equally good paths it prefers, from the end, a step in both signals,
// then a step in `a`, then a step in `b`.
Result<DtwAlignment> DtwAlign(std::span<const double> a, std::span<const double> b,
                              const DtwOptions& options = {});
Result<DtwAlignment> DtwAlign(Signals a, Signals b, const DtwOptions& options = {});

}  // namespace tare::stats
