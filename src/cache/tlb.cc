// tlb.cc: entries stay where they are, so that chains can lead to them.
#include "cache/tlb.h"

#include <bit>

namespace tare::cache {

Tlb::Tlb(const TlbLevel& description, std::uint64_t seed, std::uint64_t* clock)
    : ways_(description.ways),
      set_mask_(description.entries / description.ways - 1),
      replacement_(description.replacement),
      lru_(description.entries, clock),
      tree_(replacement_ == Replacement::kTreePlru ? set_mask_ + 1 : 0),
      random_(seed),
      entries_(description.entries),
      head_mask_(2 * std::bit_ceil(std::uint64_t{description.entries}) - 1),
      heads_(head_mask_ + 1, kNone),
      next_(description.entries, kNone) {}

template <typename Work>
auto Tlb::With(Work work) {
  switch (replacement_) {
    case Replacement::kTreePlru:
      return work(tree_);
    case Replacement::kRandom:
      return work(random_);
    default:
      return work(lru_);
  }
}

void Tlb::Touch(std::uint64_t page, std::uint16_t place) {
  const SetView set = Set(page);
  const auto way = static_cast<unsigned>(place - set.index * ways_);
  With([&](auto& policy) { return policy.Touch(set, way); });
}

void Tlb::Unlink(std::uint64_t page, std::uint16_t place) {
  std::uint16_t* link = &heads_[page & head_mask_];
  while (*link != place) link = &next_[*link];
  *link = next_[place];
}

Tlb::Inserted Tlb::Insert(std::uint64_t page) {
  const SetView set = Set(page);
  const Placed placed = With([&](auto& policy) { return policy.Insert(set, KeyOfPage(page)); });
  const auto place = static_cast<std::uint16_t>(placed.entry - entries_.data());
  const std::uint64_t left = placed.left == 0 ? kNowhere : placed.left >> 1;
  if (left != kNowhere) Unlink(left, place);
  next_[place] = heads_[page & head_mask_];
  heads_[page & head_mask_] = place;
  return {place, left};
}

}  // namespace tare::cache
