// line_entry.h: a line as a cache keeps it: its address, with marks in the bits that are always 0.
#pragma once

#include <cstdint>

namespace tare::model {

// An address of a line with kHeld and further marks; 0: nothing. So lines have 8 bytes or more.
using LineEntry = std::uint64_t;

inline constexpr LineEntry kHeld = 1;
inline constexpr LineEntry kChanged = 2;     // stored to, and not written back yet
inline constexpr LineEntry kPrefetched = 4;  // and not used yet
inline constexpr unsigned kMinLineBytes = 8;

// What is equal for two entries of the same line.
inline LineEntry KeyOf(LineEntry entry) { return entry & ~(kChanged | kPrefetched); }
inline std::uint64_t AddressOf(LineEntry entry) {
  return entry & ~static_cast<std::uint64_t>(kMinLineBytes - 1);
}

// One set of a cache or a TLB, as the policies of replacement see it. What a policy needs to know
// of the set lies beside its entries: the words that it does not use may be missing.
struct SetView {
  std::uint64_t* entries;  // one for each way; 0: none
  std::uint64_t* stamps;   // one for each way, 0 at first: the moment of its last use
  std::uint64_t* order;    // one word; 0 at first, unless the policy has another start
  unsigned ways;
};

struct Placed {
  unsigned way;
  std::uint64_t left;  // what had to leave for it; 0 when there was room
};

inline Placed PlaceAt(const SetView& set, unsigned way, std::uint64_t entry) {
  const std::uint64_t left = set.entries[way];
  set.entries[way] = entry;
  return {way, left};
}

// The first way without an entry; `ways` when there is none.
inline unsigned FreeWay(const SetView& set) {
  unsigned way = 0;
  while (way < set.ways && set.entries[way] != 0) ++way;
  return way;
}

}  // namespace tare::model
