// cache_level.h: a single cache: the lines that it contains, and the line that it evicts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "model/core/line_entry.h"
#include "model/core/policy.h"
#include "model/core/processor.h"

namespace tare::model {

// The location of a line in a cache. Valid until its set changes.
struct Spot {
  SetView set;
  unsigned way;  // equal to the number of ways if the line is not in the cache

  bool hit() const { return way != set.ways; }
  LineEntry& entry() const { return set.entries[way]; }
};

// A line stays in the same way until it is evicted. kWholeSets means that the number of sets is a
// power of two.
template <PolicyKind kPolicy, bool kWholeSets>
class Level {
 public:
  // `description` must be valid. With `stamped`, times of use are stored where other code can
  // update them, too. `clock` counts uses and must outlive this object.
  Level(const CacheLevel& description, std::uint64_t seed, bool stamped, std::uint64_t* clock)
      : line_mask_(~(std::uint64_t{description.line_bytes} - 1)),
        line_shift_(static_cast<unsigned>(std::countr_zero(description.line_bytes))),
        ways_(description.ways),
        sets_(description.bytes / description.line_bytes / description.ways),
        digest_shift_(
            std::min(56U, line_shift_ + static_cast<unsigned>(std::bit_width(sets_ - 1)))),
        digest_words_((ways_ + 7) / 8),
        policy_(KindOf(description.replacement, ways_, stamped), seed, clock) {
    const bool has_stamps =
        KindOf(description.replacement, ways_, stamped) == PolicyKind::kStampedLru || stamped;
    stamps_at_ = 1 + digest_words_;
    entries_at_ = stamps_at_ + (has_stamps ? ways_ : 0);
    stride_ = entries_at_ + ways_;
    words_.resize(sets_ * stride_);
    for (std::uint64_t set = 0; set < sets_; ++set) {
      words_[set * stride_] = policy_.Start(ways_);
    }
  }

  std::uint64_t line_bytes() const { return ~line_mask_ + 1; }
  std::uint64_t line_mask() const { return line_mask_; }
  unsigned line_shift() const { return line_shift_; }
  std::uint64_t sets() const { return sets_; }

  // For a stamped cache: its stamps, the index of a line's stamp, and the entry that belongs to a
  // stamp.
  std::uint64_t* stamps() { return words_.data(); }
  std::uint64_t PlaceOf(const Spot& spot) const {
    return static_cast<std::uint64_t>(spot.set.stamps + spot.way - words_.data());
  }
  LineEntry& EntryAt(std::uint64_t place) { return words_[place + ways_]; }

  // The entry of the line that contains `address`, without marks.
  LineEntry KeyAt(std::uint64_t address) const { return (address & line_mask_) | kValid; }

  std::uint64_t SetOf(LineEntry key) const {
    const std::uint64_t line = key >> line_shift_;
    return kWholeSets || std::has_single_bit(sets_) ? line & (sets_ - 1) : line % sets_;
  }

  Spot Find(LineEntry key) {
    const SetView set = Set(SetOf(key));
    return {set, WayOf(set, key)};
  }

  // Makes a line in the cache the most recently used of its set.
  void Touch(const Spot& spot) { policy_.Touch(spot.set, spot.way); }

  // Inserts a line that is not in the cache, as most recently used. Uses only the set of `spot` and
  // updates it to the line's location. Returns the evicted entry; 0 if a way was free.
  LineEntry Insert(Spot& spot, LineEntry entry) {
    const Placed placed = policy_.Insert(spot.set, entry);
    spot.way = placed.way;
    std::uint64_t& digests = spot.set.order[1 + spot.way / 8];
    const unsigned at = spot.way % 8 * 8;
    digests = (digests & ~(std::uint64_t{0xff} << at)) | DigestOf(entry) << at;
    return placed.evicted;
  }

  // Returns the removed entry; 0 if the line was not in the cache.
  LineEntry Remove(LineEntry key) {
    const Spot spot = Find(key);
    if (!spot.hit()) return 0;
    const LineEntry entry = spot.entry();
    policy_.Remove(spot.set, spot.way);
    return entry;
  }

  // Prefetches the set on the host, because it will be searched soon.
  void PrefetchSet(LineEntry key) const {
    if (!kWholeSets && !std::has_single_bit(sets_)) return;
    const std::uint64_t* const set = words_.data() + SetOf(key) * stride_;
    __builtin_prefetch(set);
    __builtin_prefetch(set + stride_ - 1);
  }

 private:
  static constexpr std::uint64_t kEachByte = 0x0101010101010101;

  SetView Set(std::uint64_t set) {
    std::uint64_t* const at = words_.data() + set * stride_;
    return {at + entries_at_, at + stamps_at_, at, ways_};
  }

  // Eight bits of the address that differ for most other lines of the set.
  std::uint64_t DigestOf(LineEntry entry) const { return entry >> digest_shift_ & 0xff; }

  // Compares the digests of eight ways at once, and then the entries with equal digests.
  unsigned WayOf(const SetView& set, LineEntry key) const {
    const std::uint64_t wanted = DigestOf(key) * kEachByte;
    for (unsigned word = 0; word < digest_words_; ++word) {
      const std::uint64_t differs = set.order[1 + word] ^ wanted;
      // Marks zero bytes, and possibly some bytes above the lowest of them.
      std::uint64_t equal = (differs - kEachByte) & ~differs & 0x80 * kEachByte;
      for (; equal != 0; equal &= equal - 1) {
        const unsigned way = 8 * word + static_cast<unsigned>(std::countr_zero(equal)) / 8;
        if (way < set.ways && KeyOf(set.entries[way]) == key) return way;
      }
    }
    return set.ways;
  }

  std::uint64_t line_mask_;
  unsigned line_shift_;
  unsigned ways_;
  std::uint64_t sets_;
  unsigned digest_shift_;
  unsigned digest_words_;  // per set
  Policy<kPolicy> policy_;
  // A set consists of a word of order, its digests, its stamps if any, and its entries.
  std::uint64_t stamps_at_;
  std::uint64_t entries_at_;
  std::uint64_t stride_;
  std::vector<std::uint64_t> words_;
};

}  // namespace tare::model
