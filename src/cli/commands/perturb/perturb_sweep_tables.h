// perturb_sweep_tables.h: tables and plots of correlations as metrics are added.
#pragma once

#include <vector>

#include "analysis/perturb/metric_sweep.h"
#include "cli/command.h"

namespace tare::cli {

// Table `points`, with `all` also `inner` and `outer`; plots of the baseline's runs, of each
// order's correlations against the added instructions, and of the signals around the largest
// change; and a sentence. `all`: every pair and metric, not only those that changed most.
void AddSweep(const perturb::Trials& trials, const std::vector<perturb::SweepOrder>& orders,
              const perturb::JudgeOptions& options, bool all, Outcome& outcome);

}  // namespace tare::cli
