// level.cc: the numbers that follow from a description.
#include "cache/level.h"

#include <algorithm>

namespace tare::cache {
namespace {

std::uint64_t SetsOf(const CacheLevel& level) {
  return level.bytes / level.line_bytes / level.ways;
}

}  // namespace

Level::Policy Level::PolicyOf(const CacheLevel& description, bool stamped) {
  switch (description.replacement) {
    case Replacement::kTreePlru:
      return Policy::kTreePlru;
    case Replacement::kRandom:
      return Policy::kRandom;
    default:
      return stamped || description.ways > kMostLruWays ? Policy::kStampedLru : Policy::kLru;
  }
}

Level::Level(const CacheLevel& description, std::uint64_t seed, bool stamped, std::uint64_t* clock)
    : line_mask_(~(std::uint64_t{description.line_bytes} - 1)),
      line_shift_(static_cast<unsigned>(std::countr_zero(description.line_bytes))),
      ways_(description.ways),
      sets_(SetsOf(description)),
      set_mask_(std::has_single_bit(sets_) ? sets_ - 1 : kNoMask),
      digest_shift_(std::min(56U, line_shift_ + static_cast<unsigned>(std::bit_width(sets_ - 1)))),
      digest_words_((ways_ + 7) / 8),
      policy_(PolicyOf(description, stamped)),
      lru_(policy_ == Policy::kLru ? sets_ : 0, ways_),
      stamped_(stamped || policy_ == Policy::kStampedLru ? sets_ * ways_ : 0, clock),
      tree_(policy_ == Policy::kTreePlru ? sets_ : 0),
      random_(seed),
      digests_(sets_ * digest_words_),
      entries_(sets_ * ways_) {}

LineEntry Level::Remove(LineEntry key) {
  const SetView set = Set(key);
  const unsigned way = WayOf(set, key);
  if (way == set.ways) return 0;
  const LineEntry entry = set.entries[way];
  With<void>([&](auto& policy) { policy.Remove(set, way); });
  return entry;
}

}  // namespace tare::cache
