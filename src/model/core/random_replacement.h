// random_replacement.h: random replacement; the same seed gives the same sequence.
#pragma once

#include <cstdint>

#include "model/core/line_entry.h"
#include "stats/random.h"

namespace tare::model {

class RandomReplacement {
 public:
  explicit RandomReplacement(std::uint64_t seed) : generator_(seed) {}

  static void Touch(const SetView& /*set*/, unsigned /*way*/) {}

  Placed Insert(const SetView& set, std::uint64_t entry) {
    unsigned way = FreeWay(set);
    if (way == set.ways) way = static_cast<unsigned>(generator_.Below(set.ways));
    return PlaceAt(set, way, entry);
  }

  static void Remove(const SetView& set, unsigned way) { set.entries[way] = 0; }

 private:
  stats::Generator generator_;
};

}  // namespace tare::model
