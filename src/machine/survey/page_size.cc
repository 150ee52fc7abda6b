// page_size.cc: the first spacing at which half of the loads miss the TLB, and a larger one changes
// little.
#include "machine/survey/page_size.h"

#include "machine/survey/capacity_fit.h"

namespace tare::survey {
namespace {

// Half a page causes 50 to 58 % of the misses of a whole one.
constexpr double kLikeTwice = 0.75;

}  // namespace

std::optional<std::uint64_t> PageSizeOf(std::span<const SpacingCost> costs, double near,
                                        double rise) {
  const auto excess = [&](const SpacingCost& cost) { return MiddleMean(cost.seconds) - near; };
  if (costs.empty() || excess(costs.front()) >= 0.5 * rise) return std::nullopt;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double here = excess(costs[i]);
    const bool last = i + 1 == costs.size();
    if (here >= 0.5 * rise && (last || here >= kLikeTwice * excess(costs[i + 1]))) {
      return costs[i].spacing;
    }
  }
  return std::nullopt;
}

}  // namespace tare::survey
