// first_level.h: a cache beside the core, behind the lines that were used recently.
#pragma once

#include <cstdint>
#include <vector>

#include "model/core/cache_level.h"
#include "model/core/recent_lines.h"

namespace tare::model {

// kPlain: as Hierarchy has it.
template <bool kPlain>
class FirstLevel {
 public:
  // `recent` was made for this level and outlives it.
  FirstLevel(const CacheLevel& description, std::uint64_t seed, RecentLines& recent)
      : level_(description, seed, true, recent.clock()),
        writing_(description.writing),
        recent_(recent) {
    recent_.StampLines(level_.stamps());
    if (description.replacement == Replacement::kTreePlru) last_used_.resize(level_.sets());
  }

  const auto& level() const { return level_; }
  Writing writing() const { return kPlain ? Writing::kBack : writing_; }

  // As those of Level. After Touch the caller says by Settle which marks the entry has now.
  Spot Find(LineEntry key) { return level_.Find(key); }
  void Touch(const Spot& spot) { level_.Touch(spot); }
  // What had to leave; 0 when there was room.
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

  // The entry was used last, and its marks are not going to change now.
  void Settle(const Spot& spot) {
    const LineEntry entry = spot.entry();
    const LineEntry key = KeyOf(entry);
    // In a tree only what was used last can be used again without a change.
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

  // Whether a store was one to a recent line that had only to be marked. It is then done.
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
  std::vector<LineEntry> last_used_;  // by set; of trees alone
};

}  // namespace tare::model
