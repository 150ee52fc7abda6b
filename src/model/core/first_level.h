// first_level.h: an L1 cache behind the filter of recent lines.
#pragma once

#include <cstdint>
#include <vector>

#include "model/core/cache_level.h"
#include "model/core/recent_lines.h"

namespace tare::model {

// kPlain: as in Hierarchy.
template <bool kPlain>
class FirstLevel {
 public:
  // `recent` must have been created for this level and must outlive it.
  FirstLevel(const CacheLevel& description, std::uint64_t seed, RecentLines& recent)
      : level_(description, seed, true, recent.clock()),
        write_(description.write),
        recent_(recent) {
    recent_.StampLines(level_.stamps());
    if (description.replacement == Replacement::kTreePlru) last_used_.resize(level_.sets());
  }

  const auto& level() const { return level_; }
  WritePolicy write() const { return kPlain ? WritePolicy::kBack : write_; }

  // As in Level. After Touch the caller must call Settle once the marks of the entry are final.
  Spot Find(LineEntry key) { return level_.Find(key); }
  void Touch(const Spot& spot) { level_.Touch(spot); }
  // Returns the evicted entry; 0 if a way was free.
  LineEntry Insert(Spot& spot, LineEntry entry) {
    const LineEntry evicted = level_.Insert(spot, entry);
    if (evicted != 0) recent_.Forget(KeyOf(evicted));
    Settle(spot);
    return evicted;
  }
  LineEntry Remove(LineEntry key) {
    recent_.Forget(key);
    return level_.Remove(key);
  }

  // Registers the entry, which was used last and has its final marks, as a recent line.
  void Settle(const Spot& spot) {
    const LineEntry entry = spot.entry();
    const LineEntry key = KeyOf(entry);
    // With tree-PLRU only the line used last in its set can be used again without changing the
    // tree.
    if (!kPlain && !last_used_.empty()) {
      LineEntry& last = last_used_[level_.SetOf(key)];
      if (last != key && last != 0) recent_.Forget(last);
      last = key;
    }
    if ((entry & kPrefetched) != 0) return;
    const bool storable = write() == WritePolicy::kIgnored ||
                          (write() == WritePolicy::kBack && (entry & kDirty) != 0);
    recent_.Remember(key, level_.PlaceOf(spot), storable);
  }

  // Performs a store to a recent line that only has to be marked as dirty. Returns false for any
  // other store.
  bool StoreToRecent(std::uint64_t address, std::uint64_t last_byte, std::uint64_t time) {
    if (write() != WritePolicy::kBack) return false;
    const auto place = recent_.UseUnmarked(address, last_byte, time);
    if (!place) return false;
    level_.EntryAt(*place) |= kDirty;
    return true;
  }

 private:
  Level<kPlain ? PolicyKind::kStampedLru : PolicyKind::kGiven, kPlain> level_;
  WritePolicy write_;
  RecentLines& recent_;
  std::vector<LineEntry> last_used_;  // by set; only for tree-PLRU
};

}  // namespace tare::model
