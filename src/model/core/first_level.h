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
        writing_(description.writing),
        recent_(recent) {
    recent_.StampLines(level_.stamps());
    if (description.replacement == Replacement::kTreePlru) last_used_.resize(level_.sets());
  }

  const auto& level() const { return level_; }
  Writing writing() const { return kPlain ? Writing::kBack : writing_; }

  // As in Level. After Touch the caller must call Settle once the marks of the entry are final.
  Spot Find(LineEntry key) { return level_.Find(key); }
  void Touch(const Spot& spot) { level_.Touch(spot); }
  // Returns the evicted entry; 0 if a way was free.
  LineEntry Insert(Spot& spot, LineEntry entry) {
    const LineEntry left = level_.Insert(spot, entry);
    if (left != 0) recent_.Forget(KeyOf(left));
    Settle(spot);
    return left;
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
    const bool storable =
        writing() == Writing::kAsRead || (writing() == Writing::kBack && (entry & kChanged) != 0);
    recent_.Remember(key, level_.PlaceOf(spot), storable);
  }

  // Performs a store to a recent line that only has to be marked as changed. Returns false for any
  // other store.
  bool StoreToRecent(std::uint64_t address, std::uint64_t last_byte, std::uint64_t moment) {
    if (writing() != Writing::kBack) return false;
    const auto place = recent_.UseUnmarked(address, last_byte, moment);
    if (!place) return false;
    level_.EntryAt(*place) |= kChanged;
    return true;
  }

 private:
  Level<kPlain ? PolicyKind::kStampedLru : PolicyKind::kGiven, kPlain> level_;
  Writing writing_;
  RecentLines& recent_;
  std::vector<LineEntry> last_used_;  // by set; only for tree-PLRU
};

}  // namespace tare::model
