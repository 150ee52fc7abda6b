// perturb_interval_tables.h: what sampling at each interval costs, as tables, a plot and a
// sentence.
#pragma once

#include <span>
#include <string>

#include "analysis/perturb/interval_costs.h"
#include "cli/command.h"

namespace tare::cli {

struct IntervalView {
  std::span<const perturb::IntervalRun> runs;
  std::span<const perturb::IntervalCost> costs;
  perturb::CostOptions how;
};

// The finding in a sentence or two.
std::string IntervalAnswer(const IntervalView& view);

// Adds `answer`, `intervals`, `interval_costs` (a plot) and `interval_runs` (not in text).
void AddIntervals(const IntervalView& view, Outcome& outcome);

}  // namespace tare::cli
