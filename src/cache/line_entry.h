// line_entry.h: a line as a cache keeps it: its address, with marks in the bits that are always 0.
#pragma once

#include <cstdint>

namespace tare::cache {

// An address of a line with kHeld and further marks; 0: nothing. So lines have 8 bytes or more.
using LineEntry = std::uint64_t;

inline constexpr LineEntry kHeld = 1;
inline constexpr LineEntry kChanged = 2;     // stored to, and not written back yet
inline constexpr LineEntry kPrefetched = 4;  // and not used yet
inline constexpr unsigned kLeastLineBytes = 8;

// What is equal for two entries of the same line.
inline LineEntry KeyOf(LineEntry entry) { return entry & ~(kChanged | kPrefetched); }
inline std::uint64_t AddressOf(LineEntry entry) {
  return entry & ~static_cast<std::uint64_t>(kLeastLineBytes - 1);
}

// One set of a cache or a TLB, as the policies of replacement see it. A policy has
//   std::uint64_t* Touch(set, way)  the entry was used; where it lies now
//   Placed Insert(set, entry)       a new entry, used
//   void Remove(set, way)           makes room
struct SetView {
  std::uint64_t* entries;
  unsigned ways;
  std::uint64_t index;  // of the set
};

struct Placed {
  std::uint64_t* entry;
  std::uint64_t left;  // what had to leave for it; 0 when there was room
};

inline Placed PlaceAt(const SetView& set, unsigned way, std::uint64_t entry) {
  const std::uint64_t left = set.entries[way];
  set.entries[way] = entry;
  return {set.entries + way, left};
}

// The first way without an entry; `ways` when there is none.
inline unsigned FreeWay(const SetView& set) {
  unsigned way = 0;
  while (way < set.ways && set.entries[way] != 0) ++way;
  return way;
}

}  // namespace tare::cache
