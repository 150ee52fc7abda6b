// perturb_sweep_tables.h: what happened to correlations as metrics were added, as tables and plots.
#pragma once

#include <vector>

#include "analysis/perturb/metric_sweep.h"
#include "report/document.h"

namespace tare::cli {

// Table `points`, with `all` also `inner` and `outer`; plots of the baseline's runs, of each
// order's correlations against the instructions that were added, and of the signals around the
// largest change; a sentence. `all`: every pair and metric, not only those that changed most.
void AddSweep(const perturb::Trials& trials, const std::vector<perturb::SweepOrder>& orders,
              const perturb::JudgeOptions& options, bool all, report::Document& document);

}  // namespace tare::cli
