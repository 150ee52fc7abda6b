// tlb.h: one level of translations by itself.
#pragma once

#include <cstdint>
#include <vector>

#include "cache/line_entry.h"
#include "cache/processor.h"
#include "cache/random_replacement.h"
#include "cache/stamped_lru.h"
#include "cache/tree_plru.h"

namespace tare::cache {

class Tlb {
 public:
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  // `description` is valid; `clock` as that of StampedLru.
  Tlb(const TlbLevel& description, std::uint64_t seed, std::uint64_t* clock);

  std::uint64_t entries() const { return entries_.size(); }
  std::uint64_t* stamps() { return lru_.stamps(); }

  // Pages by number. The place of the translation, which is now the one used last in its set;
  // kNowhere when it is not there.
  std::uint64_t Use(std::uint64_t page) {
    const std::uint64_t key = KeyOfPage(page);
    std::uint16_t place = heads_[page & head_mask_];
    while (place != kNone && entries_[place] != key) place = next_[place];
    if (place == kNone) return kNowhere;
    Touch(page, place);
    return place;
  }

  struct Inserted {
    std::uint64_t place;
    std::uint64_t left;  // the page that had to leave; kNowhere when there was room
  };
  // A translation that is not there.
  Inserted Insert(std::uint64_t page);

 private:
  static constexpr std::uint16_t kNone = 0xffff;

  static std::uint64_t KeyOfPage(std::uint64_t page) { return page << 1 | kHeld; }
  SetView Set(std::uint64_t page) {
    const std::uint64_t set = page & set_mask_;
    return {entries_.data() + set * ways_, ways_, set};
  }
  void Touch(std::uint64_t page, std::uint16_t place);
  void Unlink(std::uint64_t page, std::uint16_t place);
  template <typename Work>
  auto With(Work work);

  unsigned ways_;
  std::uint64_t set_mask_;
  Replacement replacement_;
  StampedLru lru_;
  TreePlru tree_;
  RandomReplacement random_;
  std::vector<std::uint64_t> entries_;
  // Places by the low bits of their page, in chains: no set is searched.
  std::uint64_t head_mask_;
  std::vector<std::uint16_t> heads_;
  std::vector<std::uint16_t> next_;
};

}  // namespace tare::cache
