// sample_size.h: how many samples an answer of the wanted sharpness takes.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "stats/interval.h"

namespace tare::stats {

// The smallest n for which the t interval of the mean is expected to be value +- half_width or
// narrower, from the standard deviation of a pilot. At least 2.
Result<std::uint64_t> SamplesForMean(double pilot_deviation, double half_width, double confidence);

// The same for the interval of a proportion that is guessed to be `guess` = m/n, in [0, 1]. Take
// 0.5 where nothing is known: no other guess needs more.
Result<std::uint64_t> SamplesForProportion(double guess, double half_width, double confidence,
                                           ProportionMethod method = ProportionMethod::kWilson);

// The smallest n for which something that each sample meets with probability `share`, in (0, 1], is
// met `wanted` times or more with at least the given chance. For several things of that share,
// that is the chance of each; for all of c at once, ask for a chance of 1 - (1 - chance) / c
// (Bonferroni).
Result<std::uint64_t> SamplesForCount(double share, std::uint64_t wanted, double chance);

}  // namespace tare::stats
