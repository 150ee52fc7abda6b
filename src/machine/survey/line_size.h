// line_size.h: the line of a cache, from pairs of loads a growing distance apart.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tare::survey {

struct PairCost {
  std::uint64_t distance = 0;        // bytes between the two loads
  std::vector<double> seconds = {};  // of a pair, one for each pass
};

// The second load of a pair is cheap while both fall into one line. The line is the least distance
// at which pairs cost what they cost at the largest ones; nothing when the cost does not rise by a
// tenth, or when it still rises at the end. Needs distances that double, three or more.
std::optional<std::uint64_t> LineSizeOf(std::span<const PairCost> costs);

}  // namespace tare::survey
