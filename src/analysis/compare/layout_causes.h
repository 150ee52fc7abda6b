// layout_causes.h: which part of the memory layout changes the ratio of two commands.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/compare/round_runner.h"
#include "analysis/compare/run_layout.h"
#include "base/result.h"

namespace tare::compare {

// Two layouts in which the ratio of `command` to the first command differs.
struct LayoutPair {
  RunLayout from;
  RunLayout to;
  std::size_t command = 1;
};

// Runs rounds in both layouts and in `from` with each single factor of `to`. A factor that closes
// the gap between both is a cause, the one that closes most of it first.
Result<std::vector<LayoutFactor>> FindLayoutCauses(RoundRunner& runner, const LayoutPair& pair);

// The number of rounds that it runs.
std::size_t RoundsForCauses(const LayoutPair& pair);

}  // namespace tare::compare
