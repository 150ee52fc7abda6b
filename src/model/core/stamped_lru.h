// stamped_lru.h: the entry that was used longest ago leaves; each has the moment of its last use.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/core/line_entry.h"

namespace tare::model {

// Clocks go on by this much, which is more than any set has ways.
inline constexpr std::uint64_t kClockStep = 2048;

// For sets of any number of ways, and where others write moments of use too.
class StampedLru {
 public:
  // `clock` goes on by kClockStep for each use, here and wherever else stamps are written; it
  // outlives this.
  explicit StampedLru(std::uint64_t* clock) : clock_(clock) {}

  void Touch(const SetView& set, unsigned way) const { set.stamps[way] = *clock_ += kClockStep; }

  Placed Insert(const SetView& set, std::uint64_t entry) const {
    const unsigned way = Oldest(set);
    Touch(set, way);
    return PlaceAt(set, way, entry);
  }

  static void Remove(const SetView& set, unsigned way) { set.entries[way] = set.stamps[way] = 0; }

 private:
  // The way is put below the moment, so that the least of all is the answer, found without
  // branches: which one it is cannot be predicted. What was never used has 0; the first of several
  // is taken.
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
