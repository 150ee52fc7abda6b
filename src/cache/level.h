// level.h: one cache by itself: which lines it holds, and which of them leaves.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "cache/line_entry.h"
#include "cache/lru.h"
#include "cache/processor.h"
#include "cache/random_replacement.h"
#include "cache/stamped_lru.h"
#include "cache/tree_plru.h"

namespace tare::cache {

// A line stays in its way as long as it is held.
class Level {
 public:
  // `description` is valid. `stamped`: moments of use are kept where others can write them too.
  // `clock` counts uses and outlives this.
  Level(const CacheLevel& description, std::uint64_t seed, bool stamped, std::uint64_t* clock);

  std::uint64_t line_bytes() const { return ~line_mask_ + 1; }
  std::uint64_t line_mask() const { return line_mask_; }
  unsigned line_shift() const { return line_shift_; }
  std::uint64_t sets() const { return sets_; }
  std::uint64_t* stamps() { return stamped_.stamps(); }

  // Of what Use, Find and Insert gave: its number among all entries.
  std::uint64_t PlaceOf(const LineEntry* entry) const {
    return static_cast<std::uint64_t>(entry - entries_.data());
  }

  // The entry of the line that `address` lies in, without marks.
  LineEntry KeyAt(std::uint64_t address) const { return (address & line_mask_) | kHeld; }

  std::uint64_t SetOf(LineEntry key) const {
    const std::uint64_t line = key >> line_shift_;
    if (set_mask_ != kNoMask) [[likely]]
      return line & set_mask_;
    return line % sets_;
  }

  // The line, which is now the one used last in its set; null when it is not held. Valid until the
  // line leaves.
  LineEntry* Use(LineEntry key) {
    const SetView set = Set(key);
    const unsigned way = WayOf(set, key);
    if (way == set.ways) return nullptr;
    return With<LineEntry*>([&](auto& policy) { return policy.Touch(set, way); });
  }

  // The same without using it.
  LineEntry* Find(LineEntry key) {
    const SetView set = Set(key);
    const unsigned way = WayOf(set, key);
    return way == set.ways ? nullptr : set.entries + way;
  }

  // A line that is not held, used.
  Placed Insert(LineEntry entry) {
    const SetView set = Set(KeyOf(entry));
    const Placed placed = With<Placed>([&](auto& policy) { return policy.Insert(set, entry); });
    const auto way = static_cast<unsigned>(placed.entry - set.entries);
    std::uint64_t& digests = digests_[set.index * digest_words_ + way / 8];
    const unsigned at = way % 8 * 8;
    digests = (digests & ~(std::uint64_t{0xff} << at)) | DigestOf(entry) << at;
    return placed;
  }

  // What was held; 0 when it was not.
  LineEntry Remove(LineEntry key);

  // The set is going to be looked at.
  void Expect(LineEntry key) const {
    if (set_mask_ == kNoMask) return;
    const std::uint64_t set = SetOf(key);
    __builtin_prefetch(digests_.data() + set * digest_words_);
    __builtin_prefetch(entries_.data() + set * ways_);
  }

 private:
  static constexpr std::uint64_t kNoMask = ~std::uint64_t{0};
  static constexpr std::uint64_t kEachByte = 0x0101010101010101;

  enum class Policy { kLru, kStampedLru, kTreePlru, kRandom };
  static Policy PolicyOf(const CacheLevel& description, bool stamped);

  SetView Set(LineEntry key) {
    const std::uint64_t set = SetOf(key);
    return {entries_.data() + set * ways_, ways_, set};
  }

  // Eight bits of a line by which most others in its set differ.
  std::uint64_t DigestOf(LineEntry entry) const { return entry >> digest_shift_ & 0xff; }

  // The digests of eight ways are compared at once; those that are equal are then looked at.
  unsigned WayOf(const SetView& set, LineEntry key) const {
    const std::uint64_t asked = DigestOf(key) * kEachByte;
    const std::uint64_t* digests = digests_.data() + set.index * digest_words_;
    for (unsigned word = 0; word < digest_words_; ++word) {
      const std::uint64_t differs = digests[word] ^ asked;
      // Zero bytes, and perhaps some above the lowest of them.
      std::uint64_t equal = (differs - kEachByte) & ~differs & 0x80 * kEachByte;
      for (; equal != 0; equal &= equal - 1) {
        const unsigned way = 8 * word + static_cast<unsigned>(std::countr_zero(equal)) / 8;
        if (way < set.ways && KeyOf(set.entries[way]) == key) return way;
      }
    }
    return set.ways;
  }

  template <typename Got, typename Work>
  Got With(Work work) {
    switch (policy_) {
      case Policy::kStampedLru:
        return work(stamped_);
      case Policy::kTreePlru:
        return work(tree_);
      case Policy::kRandom:
        return work(random_);
      default:
        return work(lru_);
    }
  }

  std::uint64_t line_mask_;
  unsigned line_shift_;
  unsigned ways_;
  std::uint64_t sets_;
  std::uint64_t set_mask_;  // kNoMask when sets are no power of two
  unsigned digest_shift_;
  unsigned digest_words_;  // of a set
  Policy policy_;
  Lru lru_;
  StampedLru stamped_;
  TreePlru tree_;
  RandomReplacement random_;
  std::vector<std::uint64_t> digests_;
  std::vector<LineEntry> entries_;
};

}  // namespace tare::cache
