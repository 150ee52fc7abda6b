// line_entry.h: a cache entry: the address of a line, with marks in the bits that are always 0.
#pragma once

#include <cstdint>

namespace tare::model {

// The address of a line plus kValid and other marks; 0: empty. So lines have at least 8 bytes.
using LineEntry = std::uint64_t;

inline constexpr LineEntry kValid = 1;
inline constexpr LineEntry kDirty = 2;       // stored to and not written back yet
inline constexpr LineEntry kPrefetched = 4;  // prefetched and not used yet
inline constexpr unsigned kMinLineBytes = 8;

// Equal for all entries of the same line.
inline LineEntry KeyOf(LineEntry entry) { return entry & ~(kDirty | kPrefetched); }
inline std::uint64_t AddressOf(LineEntry entry) {
  return entry & ~static_cast<std::uint64_t>(kMinLineBytes - 1);
}

// One set of a cache or a TLB, as the replacement policies see it. The state of a policy is stored
// next to the entries; words that the policy does not use may be absent.
struct SetView {
  std::uint64_t* entries;  // one per way; 0: empty
  std::uint64_t* stamps;   // one per way: time of the last use, initially 0
  std::uint64_t* order;    // one word; initially 0 unless the policy starts with another value
  unsigned ways;
};

struct Placed {
  unsigned way;
  std::uint64_t evicted;  // the evicted entry; 0 if the way was free
};

inline Placed PlaceAt(const SetView& set, unsigned way, std::uint64_t entry) {
  const std::uint64_t evicted = set.entries[way];
  set.entries[way] = entry;
  return {way, evicted};
}

// The first empty way; `ways` if there is none.
inline unsigned FreeWay(const SetView& set) {
  unsigned way = 0;
  while (way < set.ways && set.entries[way] != 0) ++way;
  return way;
}

}  // namespace tare::model
