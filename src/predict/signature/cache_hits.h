// cache_hits.h: hit rates of a block, a part or a whole signature in described caches and TLBs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
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

  friend bool operator==(const CacheShape&, const CacheShape&) = default;
};

// Fully associative, LRU.
struct TlbShape {
  std::uint64_t page_bytes = 4096;
  std::uint64_t entries = 0;

  friend bool operator==(const TlbShape&, const TlbShape&) = default;
};

// What a described hierarchy needs from a signature; from a machine profile or a processor.
struct Hierarchy {
  std::string name;
  std::vector<CacheShape> caches;         // from the core outwards
  std::vector<TlbShape> tlbs;             // first level first
  std::vector<std::string> assumed = {};  // what the description did not state, in half sentences
};
// A profile's TLBs are those of its smallest page size. A cache without known ways is taken as
// fully associative, one without a known line size has lines of 64 bytes.
Hierarchy HierarchyOf(const machine_profile::Profile& profile);
Hierarchy HierarchyOf(const model::Processor& processor);
// kUsage: no cache, an outer cache that is smaller than an inner one, lines of 0 bytes...
Result<void> Validate(const Hierarchy& hierarchy);

// Numbers of references of the whole run.
struct LevelUse {
  double references = 0;             // to lines: an access that spans two counts twice
  std::vector<Measured> misses;      // by cache: references that it and all nearer caches lack
  std::vector<double> write_backs;   // by cache: lines that it writes to the next level
  std::vector<Measured> tlb_misses;  // by TLB: references that it and all nearer TLBs lack
};

class BinShares;

// Answers for many blocks of one grid. Caches of the near zone are exact unless it was sampled;
// others are estimated from far distances, with the share of sets that a random placement would
// overfill (binomial), and an interval. docs/methods/signatures.md has the method. The hierarchy
// must be valid. Not thread-safe; use one per thread.
class HierarchyModel {
 public:
  HierarchyModel(Grid grid, Hierarchy hierarchy, bool near_exact = true);
  ~HierarchyModel();
  HierarchyModel(HierarchyModel&&) noexcept;
  HierarchyModel& operator=(HierarchyModel&&) noexcept;

  const Hierarchy& hierarchy() const { return hierarchy_; }
  LevelUse UseOf(const Block& block) const;

 private:
  Grid grid_;
  Hierarchy hierarchy_;
  bool near_exact_;
  std::unique_ptr<BinShares> shares_;  // computed once per shape
};

// The same for one block.
LevelUse UseOf(const Block& block, const Grid& grid, const Hierarchy& hierarchy,
               bool near_exact = true);

// Adds the use of another block in the same hierarchy; intervals add up, because blocks share the
// sample that their estimates come from. An empty `to` becomes a copy.
void AddUse(const LevelUse& use, LevelUse& to);

// The share of references that do not miss; absent without references.
Measured HitRate(const Measured& misses, double references);

}  // namespace tare::signature
