// discover_outer.h: the caches beyond the first, and memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/survey/capacity_residency.h"
#include "machine/survey/discover_first.h"

namespace tare::survey {

struct OuterCache {
  Measured found;    // measured capacity in bytes
  double bytes = 0;  // nominal capacity, or the measured one where others share it
  std::optional<WaysEstimate> ways = {};
  Measured latency;        // seconds of a load that hits it
  std::string doubt = {};  // why its size is doubtful
};

struct OuterLevels {
  std::optional<OuterCache> second;
  std::optional<OuterCache> third;
  std::string reason = {};         // why the outermost ones are missing
  std::optional<Measured> memory;  // seconds of a load that misses all caches
};

// Classifies single loads by their latency. `cycle` is the latency of the first cache in seconds.
// Nothing when no clock is fine enough to time single loads.
Result<std::optional<OuterLevels>> CountOuterLevels(Bench& bench, std::span<std::byte> memory,
                                                    const FirstCache& first, double cycle,
                                                    bool quick);

// The same from the mean cost of loads on growing sets, up to memory; the sizes are then doubtful.
// `known` are steps with other causes.
OuterLevels OuterLevelsOfCosts(std::span<const CostSamples> costs,
                               std::span<const CapacityStep> known, const FirstCache& first,
                               double cycle);

}  // namespace tare::survey
