// changed_levels.h: the levels of a machine after changes, and what has become of each.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/profile/memory_model.h"
#include "machine/profile/projection.h"

namespace tare::machine_profile {

struct ChangedLevels {
  std::vector<Level> levels;
  std::vector<std::optional<std::size_t>> from;  // the level it was; none for an added one
  double clock = 1;
};

// Refuses unknown levels, changes of figures that a level does not have, and levels that would
// answer sooner than half the time of a nearer one.
Result<ChangedLevels> ChangeLevels(std::span<const Level> levels, std::span<const Change> changes);

// The times of the changed levels, from those that were fitted to the old ones. Chained accesses
// follow the latency; a sequence follows the bandwidth until the core's own pace limits it; random
// ones, and strides of a line or more, follow whichever of both limits them. Nothing when a level's
// time can neither be had from the fit nor from its figures.
std::optional<CurveModel> ChangeModel(const CurveModel& fitted, std::span<const Level> before,
                                      const ChangedLevels& after, unsigned widest_bytes);

}  // namespace tare::machine_profile
