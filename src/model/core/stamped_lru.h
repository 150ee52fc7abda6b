// stamped_lru.h: LRU replacement with the time of last use of each entry.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/core/line_entry.h"

namespace tare::model {

// Clocks advance by this step, which is more than the ways of any set.
inline constexpr std::uint64_t kClockStep = 2048;

// For sets with any number of ways, and where other code updates times of use, too.
class StampedLru {
 public:
  // `clock` advances by kClockStep for each use, here and wherever else stamps are written. It must
  // outlive this object.
  explicit StampedLru(std::uint64_t* clock) : clock_(clock) {}

  void Touch(const SetView& set, unsigned way) const { set.stamps[way] = *clock_ += kClockStep; }

  Placed Insert(const SetView& set, std::uint64_t entry) const {
    const unsigned way = Oldest(set);
    Touch(set, way);
    return PlaceAt(set, way, entry);
  }

  static void Remove(const SetView& set, unsigned way) { set.entries[way] = set.stamps[way] = 0; }

 private:
  // The way is added in the low bits of the time, so that the minimum identifies it. The minimum is
  // computed without branches, because the host could not predict them. Unused ways have time 0,
  // and the first of several is taken.
  static unsigned Oldest(const SetView& set) {
    const auto at = [stamps = set.stamps](unsigned way) { return stamps[way] | way; };
    std::uint64_t least = at(0);
    unsigned way = 1;
    if (set.ways >= 4) {
      least = std::min(std::min(least, at(1)), std::min(at(2), at(3)));
      way = 4;
    }
    if (set.ways >= 8) {
      least = std::min(least, std::min(std::min(at(4), at(5)), std::min(at(6), at(7))));
      way = 8;
    }
    for (; way < set.ways; ++way) least = std::min(least, at(way));
    return static_cast<unsigned>(least % kClockStep);
  }

  std::uint64_t* clock_;
};

}  // namespace tare::model
