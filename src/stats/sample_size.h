// sample_size.h: the number of samples needed for a requested precision.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "stats/interval.h"

namespace tare::stats {

// The smallest n for which the t interval of the mean is expected to have at most the given half
// width, from the standard deviation of a pilot run. At least 2.
Result<std::uint64_t> SamplesForMean(double pilot_deviation, double half_width, double confidence);

// The same for the interval of a proportion expected to be `guess`, in [0, 1]. Use 0.5 if nothing
// is known: it needs the most samples.
Result<std::uint64_t> SamplesForProportion(double guess, double half_width, double confidence,
                                           ProportionMethod method = ProportionMethod::kWilson);

// The smallest n for which an event that each sample shows with probability `share`, in (0, 1],
// occurs at least `wanted` times with at least probability `chance`. For several events of that
// share, the probability applies to each of them. To cover all c events at once, pass 1 - (1 -
// chance) / c (Bonferroni).
Result<std::uint64_t> SamplesForCount(double share, std::uint64_t wanted, double chance);

}  // namespace tare::stats
