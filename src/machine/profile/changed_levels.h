// changed_levels.h: the memory levels of a machine after changes, and their origin.
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
  std::vector<std::optional<std::size_t>> from;  // index of the old level; none for an added one
  double clock = 1;
};

// Rejects unknown levels, changes of figures that a level does not have, and levels whose latency
// would be less than half that of a nearer one.
Result<ChangedLevels> ChangeLevels(std::span<const Level> levels, std::span<const Change> changes);

// Rejects unknown TLBs. A machine without TLBs has none to change.
Result<std::vector<Tlb>> ChangeTlbs(std::span<const Tlb> tlbs, std::span<const Change> changes);

// The times of the changed levels, from those that were fitted to the old ones. Chained accesses
// scale with the latency. Sequential ones scale with the bandwidth until the core's own speed
// limits them. Random ones, and strides of a line or more, scale with the limiting one of both.
// Nothing when neither the fit nor the figures determine a level's time.
std::optional<CurveModel> ChangeModel(const CurveModel& fitted, std::span<const Level> before,
                                      const ChangedLevels& after, unsigned widest_bytes);

// The value at a working set of `at` bytes, from values at the ascending sizes `bytes`: linear over
// the logarithm of the size between two of them, constant outside of them.
double AtSize(std::span<const double> bytes, std::span<const double> values, double at);

// Where `bytes` is after the capacities `from` became `to`, both ascending: linear in the
// logarithm between two capacities, by the same factor as the nearest one outside of them.
double Warped(double bytes, std::span<const double> from, std::span<const double> to);

}  // namespace tare::machine_profile
