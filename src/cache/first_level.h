// first_level.h: a cache beside the core, behind the lines that were used recently.
#pragma once

#include <cstdint>
#include <vector>

#include "cache/level.h"
#include "cache/recent_lines.h"

namespace tare::cache {

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

  const Level& level() const { return level_; }
  Writing writing() const { return writing_; }

  // As those of Level. After Use the caller says by Settle which marks the entry has now.
  LineEntry* Use(LineEntry key) { return level_.Use(key); }
  LineEntry* Find(LineEntry key) { return level_.Find(key); }
  // What had to leave; 0 when there was room.
  LineEntry Insert(LineEntry entry) {
    const Placed placed = level_.Insert(entry);
    if (placed.left != 0) recent_.Forget(KeyOf(placed.left));
    Settle(placed.entry);
    return placed.left;
  }
  LineEntry Remove(LineEntry key) {
    recent_.Forget(key);
    return level_.Remove(key);
  }

  // The entry was used last, and its marks are not going to change now.
  void Settle(const LineEntry* entry) {
    const LineEntry key = KeyOf(*entry);
    // In a tree only what was used last can be used again without a change.
    if (!last_used_.empty()) {
      LineEntry& last = last_used_[level_.SetOf(key)];
      if (last != key && last != 0) recent_.Forget(last);
      last = key;
    }
    if ((*entry & kPrefetched) != 0) return;
    const bool storable =
        writing_ == Writing::kAsRead || (writing_ == Writing::kBack && (*entry & kChanged) != 0);
    recent_.Remember(key, level_.PlaceOf(entry), storable);
  }

 private:
  Level level_;
  Writing writing_;
  RecentLines& recent_;
  std::vector<LineEntry> last_used_;  // by set; of trees alone
};

}  // namespace tare::cache
