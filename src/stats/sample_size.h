// sample_size.h: the number of samples needed for a requested precision.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace tare::stats {

// The smallest n for which an event that each sample shows with probability `share`, in (0, 1],
// occurs at least `wanted` times with at least probability `chance`. For several events of that
// share, the probability applies to each of them. To cover all c events at once, pass 1 - (1 -
// chance) / c (Bonferroni).
Result<std::uint64_t> SamplesForCount(double share, std::uint64_t wanted, double chance);

}  // namespace tare::stats
