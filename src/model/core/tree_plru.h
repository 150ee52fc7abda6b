// tree_plru.h: tree-PLRU replacement: one bit per tree node points to the half not used last.
#pragma once

#include <cstdint>

#include "model/core/line_entry.h"

namespace tare::model {

// The number of ways is a power of two, at most kMaxTreeWays.
inline constexpr unsigned kMaxTreeWays = 64;

class TreePlru {
 public:
  static void Touch(const SetView& set, unsigned way) {
    std::uint64_t tree = *set.order;
    // Nodes are numbered from 1: the children of n are 2n and 2n + 1, the leaves are the ways.
    for (unsigned node = set.ways + way; node > 1; node /= 2) {
      const std::uint64_t bit = std::uint64_t{1} << (node / 2);
      tree = node % 2 == 0 ? tree | bit : tree & ~bit;
    }
    *set.order = tree;
  }

  static Placed Insert(const SetView& set, std::uint64_t entry) {
    unsigned way = FreeWay(set);
    if (way == set.ways) way = Pointed(set);
    Touch(set, way);
    return PlaceAt(set, way, entry);
  }

  static void Remove(const SetView& set, unsigned way) { set.entries[way] = 0; }

 private:
  static unsigned Pointed(const SetView& set) {
    const std::uint64_t tree = *set.order;
    unsigned node = 1;
    while (node < set.ways) node = 2 * node + static_cast<unsigned>(tree >> node & 1);
    return node - set.ways;
  }
};

}  // namespace tare::model
