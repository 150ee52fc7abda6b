// signed_rank.h: the centre of a symmetric population, by Wilcoxon's signed-rank test.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"
#include "stats/interval.h"

namespace tare::stats {

// The Hodges-Lehmann estimate (the median of all means of two samples, a sample and itself
// included) and the interval of all centres that Wilcoxon's signed-rank test does not reject. The
// level is exact for independent samples of any symmetric population, and never below
// `confidence`. Of up to 50 samples the distribution is exact, of more it is normal. Needs at least
// SignedRankSamples(confidence) samples.
Result<Measured> SignedRankInterval(std::span<const double> samples, double confidence);

// The smallest number of samples that have an interval with this confidence: 6 for 0.95. Requires a
// confidence in (0, 1).
std::size_t SignedRankSamples(double confidence);

}  // namespace tare::stats
