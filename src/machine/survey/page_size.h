// page_size.h: the size of pages, from what it costs that places lie further and further apart.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tare::survey {

struct SpacingCost {
  std::uint64_t spacing = 0;         // bytes from one place to the next
  std::vector<double> seconds = {};  // of a load, one for each pass
};

// Three times as many places as translations are at hand cost more the more pages they lie on,
// until each has a page of its own. `near` is the cost of a load whose translation is at hand,
// `rise` what it costs more when it is not: half a page apart costs a third of that, a page apart
// two thirds. Nothing when the first spacing costs as much already, or none does. Needs spacings
// that double.
std::optional<std::uint64_t> PageSizeOf(std::span<const SpacingCost> costs, double near,
                                        double rise);

}  // namespace tare::survey
