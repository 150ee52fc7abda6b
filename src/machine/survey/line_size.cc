// line_size.cc: the distance at which the cost is halfway between its two levels.
#include "machine/survey/line_size.h"

#include "base/check.h"
#include "machine/survey/capacity_fit.h"

namespace tare::survey {

std::optional<std::uint64_t> LineSizeOf(std::span<const PairCost> costs) {
  CHECK(costs.size() >= 3);
  const double near = MiddleMean(costs.front().seconds);
  const double far = MiddleMean(costs.back().seconds);
  const double before_last = MiddleMean(costs[costs.size() - 2].seconds);
  if (far < 1.1 * near || before_last < near + 0.5 * (far - near)) return std::nullopt;
  for (const PairCost& cost : costs) {
    if (MiddleMean(cost.seconds) >= near + 0.5 * (far - near)) return cost.distance;
  }
  return std::nullopt;
}

}  // namespace tare::survey
