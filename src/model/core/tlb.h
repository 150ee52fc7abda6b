// tlb.h: a single TLB level.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "model/core/line_entry.h"
#include "model/core/policy.h"
#include "model/core/processor.h"

namespace tare::model {

// Entries do not move, so that hash chains can refer to them.
template <PolicyKind kPolicy>
class Tlb {
 public:
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  // `description` must be valid. `stamped` and `clock` are as for Level.
  Tlb(const TlbLevel& description, std::uint64_t seed, bool stamped, std::uint64_t* clock)
      : ways_(description.ways),
        set_mask_(description.entries / description.ways - 1),
        policy_(KindOf(description.replacement, ways_, stamped), seed, clock),
        entries_(description.entries),
        stamps_(description.entries),
        orders_(set_mask_ + 1, policy_.Start(ways_)),
        head_mask_(2 * std::bit_ceil(std::uint64_t{description.entries}) - 1),
        heads_(head_mask_ + 1, kNone),
        next_(description.entries, kNone) {}

  std::uint64_t entries() const { return entries_.size(); }
  std::uint64_t* stamps() { return stamps_.data(); }

  // Makes the entry of a page number the most recently used of its set and returns its place;
  // kNowhere if the page is not in the TLB.
  std::uint64_t Use(std::uint64_t page) {
    const std::uint64_t key = KeyOfPage(page);
    std::uint16_t place = heads_[page & head_mask_];
    while (place != kNone && entries_[place] != key) place = next_[place];
    if (place == kNone) return kNowhere;
    const std::uint64_t set = page & set_mask_;
    policy_.Touch(Set(set), static_cast<unsigned>(place - set * ways_));
    return place;
  }

  struct Inserted {
    std::uint64_t place;
    std::uint64_t evicted;  // the evicted page; kNowhere if the way was free
  };
  // Inserts a page that is not in the TLB.
  Inserted Insert(std::uint64_t page) {
    const std::uint64_t set = page & set_mask_;
    const Placed placed = policy_.Insert(Set(set), KeyOfPage(page));
    const auto place = static_cast<std::uint16_t>(set * ways_ + placed.way);
    const std::uint64_t evicted = placed.evicted == 0 ? kNowhere : placed.evicted >> 1;
    if (evicted != kNowhere) Unlink(evicted, place);
    std::uint16_t& head = heads_[page & head_mask_];
    next_[place] = head;
    head = place;
    return {place, evicted};
  }

 private:
  static constexpr std::uint16_t kNone = 0xffff;

  static std::uint64_t KeyOfPage(std::uint64_t page) { return page << 1 | kValid; }
  SetView Set(std::uint64_t set) {
    return {entries_.data() + set * ways_, stamps_.data() + set * ways_, orders_.data() + set,
            ways_};
  }
  void Unlink(std::uint64_t page, std::uint16_t place) {
    std::uint16_t* link = &heads_[page & head_mask_];
    while (*link != place) link = &next_[*link];
    *link = next_[place];
  }

  unsigned ways_;
  std::uint64_t set_mask_;
  Policy<kPolicy> policy_;
  std::vector<std::uint64_t> entries_;
  std::vector<std::uint64_t> stamps_;
  std::vector<std::uint64_t> orders_;  // by set
  // Hash chains of places by the low bits of the page number, so that no set is searched.
  std::uint64_t head_mask_;
  std::vector<std::uint16_t> heads_;
  std::vector<std::uint16_t> next_;
};

}  // namespace tare::model
