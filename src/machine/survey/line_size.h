// line_size.h: the line size of a cache, from pairs of loads at growing distances.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tare::survey {

struct PairCost {
  std::uint64_t distance = 0;        // bytes between the two loads
  std::vector<double> seconds = {};  // of a pair, one per pass
};

// The second load of a pair is cheap while both are in one line. The line size is the smallest
// distance at which pairs cost as much as at the largest ones; nothing when the cost does not rise
// by a tenth, or when it still rises at the end. Needs three or more distances, each twice the
// previous one.
std::optional<std::uint64_t> LineSizeOf(std::span<const PairCost> costs);

}  // namespace tare::survey
