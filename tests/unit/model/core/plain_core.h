// plain_core.h: a simple implementation of a core's caches and TLBs: the reference for the fast
// ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/core/model_event.h"
#include "model/core/processor.h"
#include "stats/random.h"

namespace tare::model {

struct PlainLine {
  std::uint64_t number = 0;  // address divided by the line size
  bool dirty = false;
  bool prefetched = false;
};

// Lines stay in their ways; each has the time of its last use.
class PlainCache {
 public:
  PlainCache(std::uint64_t sets, unsigned ways, Replacement replacement, std::uint64_t seed)
      : replacement_(replacement), generator_(seed), sets_(sets, Set(ways)) {}

  PlainLine* Find(std::uint64_t number) {
    for (Way& way : SetOf(number)) {
      if (way.line && way.line->number == number) return &*way.line;
    }
    return nullptr;
  }

  PlainLine* Use(std::uint64_t number) {
    Set& set = SetOf(number);
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (!set[i].line || set[i].line->number != number) continue;
      Touch(number, i);
      return &*set[i].line;
    }
    return nullptr;
  }

  std::optional<PlainLine> Insert(const PlainLine& line) {
    Set& set = SetOf(line.number);
    const std::size_t way = Choose(line.number);
    std::optional<PlainLine> evicted = std::exchange(set[way].line, line);
    Touch(line.number, way);
    return evicted;
  }

  std::optional<PlainLine> Remove(std::uint64_t number) {
    for (Way& way : SetOf(number)) {
      if (way.line && way.line->number == number) return std::exchange(way.line, std::nullopt);
    }
    return std::nullopt;
  }

 private:
  struct Way {
    std::optional<PlainLine> line;
    std::uint64_t used = 0;
  };
  using Set = std::vector<Way>;
  using Half = std::pair<std::size_t, std::size_t>;  // range of ways: from, until

  Set& SetOf(std::uint64_t number) { return sets_[number % sets_.size()]; }

  void Touch(std::uint64_t number, std::size_t way) {
    Set& set = SetOf(number);
    set[way].used = ++now_;
    auto& points_right = trees_[number % sets_.size()];
    Half half = {0, set.size()};
    while (half.second - half.first > 1) {
      const std::size_t middle = (half.first + half.second) / 2;
      points_right[half] = way < middle;
      half = way < middle ? Half{half.first, middle} : Half{middle, half.second};
    }
  }

  std::size_t Choose(std::uint64_t number) {
    Set& set = SetOf(number);
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (!set[i].line) return i;
    }
    if (replacement_ == Replacement::kRandom) return generator_.Below(set.size());
    if (replacement_ == Replacement::kLru) {
      return static_cast<std::size_t>(std::ranges::min_element(set, {}, &Way::used) - set.begin());
    }
    auto& points_right = trees_[number % sets_.size()];
    Half half = {0, set.size()};
    while (half.second - half.first > 1) {
      const std::size_t middle = (half.first + half.second) / 2;
      half = points_right[half] ? Half{middle, half.second} : Half{half.first, middle};
    }
    return half.first;
  }

  Replacement replacement_;
  stats::Generator generator_;
  std::uint64_t now_ = 0;
  std::vector<Set> sets_;
  std::map<std::uint64_t, std::map<Half, bool>> trees_;
};

class PlainCore {
 public:
  explicit PlainCore(const Processor& processor) : p_(processor) {
    AddLevel(p_.l1i, 0);
    AddLevel(p_.l1d, 1);
    if (p_.l2) AddLevel(*p_.l2, 2);
    if (p_.l3) AddLevel(*p_.l3, 3);
    const TlbSet& tlbs = p_.page_bytes == kLargePage ? p_.large_pages : p_.small_pages;
    AddTlb(tlbs.instruction, 4);
    AddTlb(tlbs.data, 5);
    AddTlb(tlbs.second, 6);
  }

  EventCounts counts;

  void Fetch(std::uint64_t address, std::uint64_t bytes) {
    Translate(0, address, bytes, Event::kItlbMisses, Event::kInstructionWalks);
    if (p_.split == Split::kOnce) return Once(0, address, bytes, 0);
    for (const std::uint64_t line : Lines(0, address, bytes)) One(0, line, false, 0);
  }

  void Access(std::uint64_t address, std::uint64_t bytes, bool store, std::uint64_t site) {
    Translate(1, address, bytes, store ? Event::kDtlbStoreMisses : Event::kDtlbLoadMisses,
              Event::kDataWalks);
    if (p_.split == Split::kOnce) return Once(1, address, bytes, store ? 2 : 1);
    for (const std::uint64_t line : Lines(1, address, bytes)) One(1, line, store, site);
  }

  bool Contains(std::size_t level, std::uint64_t address) {
    return level < levels_.size() && levels_[level].cache.Find(address / Bytes(level)) != nullptr;
  }

 private:
  struct PlainLevel {
    CacheLevel description;
    PlainCache cache;
  };

  void AddLevel(const CacheLevel& level, std::uint64_t number) {
    levels_.push_back({level, PlainCache(level.bytes / level.line_bytes / level.ways, level.ways,
                                         level.replacement, p_.seed * 8 + number)});
  }
  void AddTlb(const std::optional<TlbLevel>& tlb, std::uint64_t number) {
    tlbs_.emplace_back();
    if (!tlb) return;
    tlbs_.back().emplace(tlb->entries / tlb->ways, tlb->ways, tlb->replacement,
                         p_.seed * 8 + number);
  }

  std::uint64_t Bytes(std::size_t level) const { return levels_[level].description.line_bytes; }
  // The next level; the second is shared by code and data.
  static std::size_t Beyond(std::size_t level) { return level < 2 ? 2 : level + 1; }
  bool There(std::size_t level) const { return level < levels_.size(); }
  bool Exclusive(std::size_t level) const {
    return There(level) && levels_[level].description.inclusion == Inclusion::kExclusive;
  }

  std::vector<std::uint64_t> Lines(std::size_t level, std::uint64_t address, std::uint64_t bytes) {
    std::vector<std::uint64_t> lines;
    for (std::uint64_t line = address / Bytes(level); line <= (address + bytes - 1) / Bytes(level);
         ++line) {
      lines.push_back(line * Bytes(level));
    }
    return lines;
  }

  void Translate(std::size_t which, std::uint64_t address, std::uint64_t bytes, Event miss,
                 Event walk) {
    if (!tlbs_[which]) return;
    for (std::uint64_t page = address / p_.page_bytes;
         page <= (address + bytes - 1) / p_.page_bytes; ++page) {
      if (tlbs_[which]->Use(page) != nullptr) continue;
      counts.Add(miss);
      if (!tlbs_[2] || tlbs_[2]->Use(page) == nullptr) {
        counts.Add(walk);
        if (tlbs_[2]) tlbs_[2]->Insert({page});
      }
      tlbs_[which]->Insert({page});
    }
  }

  // cause: 0 code, 1 load, 2 store, 3 prefetch.
  void CountMiss(std::size_t level, int cause) {
    constexpr Event kMisses[3][3] = {
        {Event::kL1iMisses, Event::kL1dLoadMisses, Event::kL1dStoreMisses},
        {Event::kL2InstructionMisses, Event::kL2LoadMisses, Event::kL2StoreMisses},
        {Event::kL3InstructionMisses, Event::kL3LoadMisses, Event::kL3StoreMisses}};
    if (cause < 3) counts.Add(kMisses[level < 2 ? 0 : level - 1][cause]);
  }
  void CountWriteBack(std::size_t level) {
    constexpr Event kBacks[3] = {Event::kL1dWriteBacks, Event::kL2WriteBacks, Event::kL3WriteBacks};
    if (level > 0) counts.Add(kBacks[level - 1]);
  }

  void Once(std::size_t level, std::uint64_t address, std::uint64_t bytes, int cause) {
    const std::uint64_t shortest_line = std::min(Bytes(0), Bytes(1));
    bytes = std::min(bytes, shortest_line);
    for (; There(level); level = Beyond(level)) {
      bool missed = false;
      for (const std::uint64_t line : Lines(level, address, bytes)) {
        if (levels_[level].cache.Use(line / Bytes(level)) != nullptr) continue;
        missed = true;
        levels_[level].cache.Insert({line / Bytes(level)});
      }
      if (!missed) return;
      CountMiss(level, cause);
    }
  }

  void One(std::size_t level, std::uint64_t address, bool store, std::uint64_t site) {
    const WritePolicy write = levels_[level].description.write;
    const bool through = store && write == WritePolicy::kThrough;
    const bool marks = store && write == WritePolicy::kBack;
    bool learns = false;
    if (PlainLine* line = levels_[level].cache.Use(address / Bytes(level))) {
      learns = std::exchange(line->prefetched, false);
      if (learns) counts.Add(Event::kPrefetchesUsed);
      line->dirty = line->dirty || marks;
      if (through) Write(2, address);
    } else {
      const int cause = level == 0 ? 0 : store ? 2 : 1;
      CountMiss(level, cause);
      if (through) return Write(2, address);
      const bool dirty = FillFrom(2, address, cause);
      Place(level, {address / Bytes(level), dirty || marks, false});
      learns = true;
    }
    if (learns) Prefetch(level, address, site);
  }

  void Prefetch(std::size_t level, std::uint64_t address, std::uint64_t site) {
    const std::uint64_t bytes = Bytes(level);
    if (level == 0 ? p_.prefetching.instructions : p_.prefetching.next_line) {
      PrefetchOne(level, address, address + bytes);
    }
    if (level == 0 || p_.prefetching.stride_entries == 0) return;
    const std::uint64_t slot = ((site >> 2) ^ (site >> 12)) % p_.prefetching.stride_entries;
    auto found = walks_.find(slot);
    if (found == walks_.end() || found->second.site != site) {
      walks_[slot] = {site, address, 0};
      return;
    }
    Walk& walk = found->second;
    const auto step = static_cast<std::int64_t>(address - walk.last);
    const bool again = step == walk.step && step != 0;
    walk = {site, address, step};
    for (unsigned i = 1; again && i <= p_.prefetching.stride_degree; ++i) {
      if (!PrefetchOne(level, address, address + i * static_cast<std::uint64_t>(step))) return;
    }
  }

  bool PrefetchOne(std::size_t level, std::uint64_t from, std::uint64_t address) {
    if (from / p_.page_bytes != address / p_.page_bytes) return false;
    if (levels_[level].cache.Find(address / Bytes(level)) != nullptr) return true;
    counts.Add(Event::kPrefetches);
    const bool dirty = FillFrom(2, address, 3);
    Place(level, {address / Bytes(level), dirty, true});
    return true;
  }

  bool FillFrom(std::size_t level, std::uint64_t address, int cause) {
    if (!There(level)) return false;
    const std::uint64_t number = address / Bytes(level);
    if (Exclusive(level)) {
      if (const auto hit = levels_[level].cache.Remove(number)) return hit->dirty;
    } else if (levels_[level].cache.Use(number) != nullptr) {
      return false;
    }
    CountMiss(level, cause);
    const bool dirty = FillFrom(level + 1, address, cause);
    if (Exclusive(level)) return dirty;
    Place(level, {number, dirty, false});
    return false;
  }

  void Write(std::size_t level, std::uint64_t address) {
    if (!There(level)) return;
    const std::uint64_t number = address / Bytes(level);
    PlainLine* line = levels_[level].cache.Use(number);
    if (line == nullptr) CountMiss(level, 2);
    if (levels_[level].description.write == WritePolicy::kThrough) return Write(level + 1, address);
    if (line != nullptr) {
      line->dirty = true;
      return;
    }
    FillFrom(level + 1, address, 2);
    Place(level, {number, true, false});
  }

  // Fills a line and handles the evicted one.
  void Place(std::size_t level, const PlainLine& line) {
    auto evicted = levels_[level].cache.Insert(line);
    if (!evicted) return;
    const std::uint64_t address = evicted->number * Bytes(level);
    const CacheLevel& description = levels_[level].description;
    if (description.inclusion == Inclusion::kInclusive) {
      for (std::size_t nearer = 0; nearer < level; ++nearer) {
        for (std::uint64_t at = address; at < address + Bytes(level); at += Bytes(nearer)) {
          const auto removed = levels_[nearer].cache.Remove(at / Bytes(nearer));
          if (!removed || !removed->dirty) continue;
          CountWriteBack(nearer);
          evicted->dirty = true;
        }
      }
    }
    if (evicted->dirty && description.write == WritePolicy::kBack) CountWriteBack(level);
    const bool exclusive = Exclusive(Beyond(level));
    if (level < 2 && exclusive) {
      if (PlainLine* other = levels_[1 - level].cache.Find(evicted->number)) {
        other->dirty = other->dirty || evicted->dirty;
        return;
      }
    }
    if (evicted->dirty || exclusive) HandleEviction(Beyond(level), address, evicted->dirty);
  }

  void HandleEviction(std::size_t level, std::uint64_t address, bool dirty) {
    if (!There(level)) return;
    if (levels_[level].description.write == WritePolicy::kThrough) {
      return HandleEviction(level + 1, address, dirty);
    }
    const std::uint64_t number = address / Bytes(level);
    if (PlainLine* line = levels_[level].cache.Find(number)) {
      line->dirty = line->dirty || dirty;
      return;
    }
    if (Exclusive(level + 1)) {
      const auto beyond = levels_[level + 1].cache.Remove(number);
      dirty = dirty || (beyond && beyond->dirty);
    }
    Place(level, {number, dirty, false});
  }

  struct Walk {
    std::uint64_t site;
    std::uint64_t last;
    std::int64_t step;
  };

  Processor p_;
  std::vector<PlainLevel> levels_;
  std::vector<std::optional<PlainCache>> tlbs_;
  std::map<std::uint64_t, Walk> walks_;
};

}  // namespace tare::model
