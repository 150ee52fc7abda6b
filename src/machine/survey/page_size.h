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

// Uses three times as many places as the TLB has entries. The cost grows with the number of pages
// until each place has its own page. `near` is the cost of a load that hits the TLB, `rise` the
// additional cost of a miss: a spacing of half a page costs a third of that, a whole page two
// thirds. Nothing when the first spacing already costs as much, or none does. Spacings must double.
std::optional<std::uint64_t> PageSizeOf(std::span<const SpacingCost> costs, double near,
                                        double rise);

}  // namespace tare::survey
