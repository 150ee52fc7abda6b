// page_size.h: the page size, from the cost of loads at growing distances.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tare::survey {

struct SpacingCost {
  std::uint64_t spacing = 0;         // bytes between consecutive places
  std::vector<double> seconds = {};  // of a load, one per pass
};

// Uses three times as many places as the TLB has entries, in random order. The cost grows with the
// number of pages until each place has its own page. `near` is the cost of a load that hits the
// TLB, `rise` the additional cost of a miss. A TLB that replaces at random misses two thirds of the
// loads then, and a third of them at half a page; one that replaces the entry used last longest ago
// all of them, and 58 %. Nothing when half of the loads miss at the first spacing, or at none.
// Spacings must double.
std::optional<std::uint64_t> PageSizeOf(std::span<const SpacingCost> costs, double near,
                                        double rise);

}  // namespace tare::survey
