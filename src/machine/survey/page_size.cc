// page_size.cc: the first spacing at which half of the loads miss the TLB.
#include "machine/survey/page_size.h"

#include "machine/survey/capacity_fit.h"

namespace tare::survey {

std::optional<std::uint64_t> PageSizeOf(std::span<const SpacingCost> costs, double near,
                                        double rise) {
  const double enough = near + 0.5 * rise;
  if (costs.empty() || MiddleMean(costs.front().seconds) >= enough) return std::nullopt;
  for (const SpacingCost& cost : costs) {
    if (MiddleMean(cost.seconds) >= enough) return cost.spacing;
  }
  return std::nullopt;
}

}  // namespace tare::survey
