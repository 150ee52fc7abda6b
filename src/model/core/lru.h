// lru.h: LRU replacement with the order of use in one word.
#pragma once

#include <bit>
#include <cstdint>

#include "model/core/line_entry.h"

namespace tare::model {

inline constexpr unsigned kMaxLruWays = 16;

// For at most kMaxLruWays ways.
class Lru {
 public:
  // The initial order. It has four bits per way, with the most recently used way in the lowest
  // bits. Way 0 is filled first.
  static std::uint64_t Start(unsigned ways) {
    std::uint64_t order = 0;
    for (unsigned way = 0; way < ways; ++way) order = order << 4 | way;
    return order;
  }

  static void Touch(const SetView& set, unsigned way) {
    const std::uint64_t order = *set.order;
    const unsigned at = Position(order, way);
    *set.order = (order & ~(std::uint64_t{0xf} << at | Below(at))) | (order & Below(at)) << 4 | way;
  }

  static Placed Insert(const SetView& set, std::uint64_t entry) {
    const std::uint64_t order = *set.order;
    const auto way = static_cast<unsigned>(order >> (4 * (set.ways - 1)) & 0xf);
    *set.order = (order << 4 | way) & (Below(4 * (set.ways - 1)) << 4 | 0xf);
    return PlaceAt(set, way, entry);
  }

  static void Remove(const SetView& set, unsigned way) {
    const std::uint64_t order = *set.order;
    const unsigned at = Position(order, way);
    *set.order =
        (order & Below(at)) | (order >> at >> 4) << at | std::uint64_t{way} << (4 * (set.ways - 1));
    set.entries[way] = 0;
  }

 private:
  static constexpr std::uint64_t kEach = 0x1111111111111111;

  // `bits` must be less than 64.
  static std::uint64_t Below(unsigned bits) { return (std::uint64_t{1} << bits) - 1; }

  // The bit position of the way: the lowest four bits that are all zero after the XOR.
  static unsigned Position(std::uint64_t order, unsigned way) {
    const std::uint64_t differs = order ^ way * kEach;
    return static_cast<unsigned>(std::countr_zero((differs - kEach) & ~differs & 8 * kEach)) & ~3U;
  }
};

}  // namespace tare::model
