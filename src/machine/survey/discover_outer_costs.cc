// discover_outer_costs.cc: the outer caches where no clock can time a single load.
#include <algorithm>

#include "base/check.h"
#include "machine/profile/origin.h"
#include "machine/survey/discover_outer.h"

namespace tare::survey {
namespace {

using machine_profile::kConfidence;

constexpr std::string_view kDoubt =
    "from mean costs alone: no clock of this machine times a single load";
// A TLB miss costs less than a cache miss.
constexpr double kCacheRise = 0.8;

OuterCache CacheOf(const Bend& bend, double latency) {
  OuterCache cache;
  cache.found = Between(bend.size, 0.85 * bend.size, 1.15 * bend.size, kConfidence);
  cache.bytes = bend.size;
  cache.latency = Between(latency, 0.9 * latency, 1.1 * latency, kConfidence);
  cache.doubt = kDoubt;
  return cache;
}

}  // namespace

OuterLevels OuterLevelsOfCosts(std::span<const CostSamples> costs, std::span<const Bend> known,
                               const FirstCache& first, double cycle) {
  CHECK(!costs.empty());
  BendSearch search;
  search.known.assign(known.begin(), known.end());
  search.known.push_back({first.bytes});
  search.most = 3;
  search.ways = {0, 4, 8, 16};
  search.low = 1.5 * first.bytes;
  search.high = 0.7 * costs.back().size;
  const BendFit fit = FitBends(costs, search);
  OuterLevels levels;
  double latency = cycle + first.rise;
  for (const Bend& bend : fit.bends) {
    const bool is_known =
        std::ranges::any_of(search.known, [&](const Bend& one) { return one.size == bend.size; });
    if (is_known || bend.rise < kCacheRise * latency) continue;
    std::optional<OuterCache>& place = levels.second ? levels.third : levels.second;
    if (place) break;
    place = CacheOf(bend, latency);
    latency += bend.rise;
  }
  levels.memory = Between(latency, 0.9 * latency, 1.1 * latency, kConfidence);
  levels.reason = "no further rise was seen";
  return levels;
}

}  // namespace tare::survey
