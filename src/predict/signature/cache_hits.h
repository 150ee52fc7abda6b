// cache_hits.h: hit rates of a block, a part or a whole signature in described caches and TLBs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/measured.h"
#include "base/result.h"
#include "machine/profile/machine_profile.h"
#include "model/core/processor.h"
#include "predict/signature/signature.h"

namespace tare::signature {

// One LRU cache. 0 ways: fully associative.
struct CacheShape {
  std::uint64_t bytes = 0;
  unsigned ways = 0;
  unsigned line_bytes = 64;
};

struct TlbShape {
  std::uint64_t page_bytes = 4096;
  std::uint64_t entries = 0;
};

// What a described hierarchy needs from a signature; from a machine profile or a processor.
struct Hierarchy {
  std::string name;
  std::vector<CacheShape> caches;  // from the core outwards
  std::vector<TlbShape> tlbs;      // first level first
};
Hierarchy HierarchyOf(const machine_profile::Profile& profile);
Hierarchy HierarchyOf(const model::Processor& processor);
// kUsage: no cache, an outer cache that is smaller than an inner one, lines of 0 bytes...
Result<void> Validate(const Hierarchy& hierarchy);

// Numbers of references of the whole run.
struct LevelUse {
  std::vector<Measured> misses;       // by cache: references that it and all nearer caches lack
  std::vector<double> write_backs;    // by cache: lines that it writes to the next level
  std::vector<Measured> tlb_misses;   // by TLB
};

// Caches of the near zone are exact; others are estimated from far distances, with the share of
// sets that a random placement would overfill (binomial), and an interval.
LevelUse UseOf(const Block& block, const Grid& grid, const Hierarchy& hierarchy);

}  // namespace tare::signature
