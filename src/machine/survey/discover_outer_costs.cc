// discover_outer_costs.cc: the outer caches where no clock can time a single load.
#include <algorithm>

#include "base/check.h"
#include "machine/profile/origin.h"
#include "machine/survey/discover_outer.h"

namespace tare::survey {
namespace {

using machine_profile::kConfidence;

constexpr std::string_view kDoubt =
    "from mean costs alone: no clock of this machine can time a single load";
// A TLB miss costs less than a cache miss.
constexpr double kCacheRise = 0.8;

OuterCache CacheOf(const CapacityStep& step, double latency) {
  OuterCache cache;
  cache.found = Between(step.size, 0.85 * step.size, 1.15 * step.size, kConfidence);
  cache.bytes = step.size;
  cache.latency = Between(latency, 0.9 * latency, 1.1 * latency, kConfidence);
  cache.doubt = kDoubt;
  return cache;
}

}  // namespace

OuterLevels OuterLevelsOfCosts(std::span<const CostSamples> costs,
                               std::span<const CapacityStep> known, const FirstCache& first,
                               double cycle) {
  CHECK(!costs.empty());
  CapacityStepSearch search;
  search.known.assign(known.begin(), known.end());
  search.known.push_back({first.bytes});
  search.max_found = 3;
  search.ways = {0, 4, 8, 16};
  search.low = 1.5 * first.bytes;
  search.high = 0.7 * costs.back().size;
  const CapacityStepFit fit = FitCapacitySteps(costs, search);
  OuterLevels levels;
  double latency = cycle + first.rise;
  for (const CapacityStep& step : fit.steps) {
    const bool is_known = std::ranges::any_of(
        search.known, [&](const CapacityStep& one) { return one.size == step.size; });
    if (is_known || step.rise < kCacheRise * latency) continue;
    std::optional<OuterCache>& place = levels.second ? levels.third : levels.second;
    if (place) break;
    place = CacheOf(step, latency);
    latency += step.rise;
  }
  levels.memory = Between(latency, 0.9 * latency, 1.1 * latency, kConfidence);
  levels.reason = "no further step was found";
  return levels;
}

}  // namespace tare::survey
