// discover_outer.h: the caches behind the first, and memory.
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
  Ranged found;      // bytes that stay near
  double bytes = 0;  // that it was built with, or what was found of it where others share it
  std::optional<WaysEstimate> ways = {};
  Ranged latency;          // seconds of a load that finds its line there
  std::string doubt = {};  // why its size is not to be trusted
};

struct OuterLevels {
  std::optional<OuterCache> second;
  std::optional<OuterCache> third;
  std::string reason = {};       // why the last ones are not there
  std::optional<Ranged> memory;  // seconds of a load that no cache has
};

// Counts the loads that find their line near. `cycle` is the latency of the first cache in seconds.
// Nothing where no clock is fine enough to time single loads.
Result<std::optional<OuterLevels>> CountOuterLevels(Bench& bench, std::span<std::byte> memory,
                                                    const FirstCache& first, double cycle,
                                                    bool quick);

// The same from the costs of loads on growing sets alone, up to memory; sizes are then doubtful.
// `known` are bends that have other causes.
OuterLevels OuterLevelsOfCosts(std::span<const CostSamples> costs, std::span<const Bend> known,
                               const FirstCache& first, double cycle);

}  // namespace tare::survey
