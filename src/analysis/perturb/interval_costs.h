// interval_costs.h: what sampling at each interval does to a program, and where it starts to
// perturb.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/perturb/interval_runs.h"
#include "analysis/perturb/outer_correlation.h"
#include "base/measured.h"
#include "base/result.h"

namespace tare::perturb {

enum class IntervalVerdict { kHarmless, kPerturbs, kUndecided };
// "no", "yes", "undecided".
std::string_view Name(IntervalVerdict verdict);

// The correlations of the runs at one interval, compared with the runs at the longest one.
struct IntervalCorrelations {
  std::size_t runs = 0;
  std::size_t perturbed = 0;  // of these runs, inside or outside
  double change = 0;          // median of the largest change of an interesting pair
  double lowest = 0;          // median of the lowest correlation of a metric with itself
};

struct IntervalCost {
  double seconds = 0;  // the interval
  Measured samples;    // per run, mean
  Measured lost;       // per run, mean
  Measured reached;    // seconds between samples, mean
  Measured cpu;        // ratio of the processor time to that of the unsampled runs
  Measured wall;       // the same of the elapsed time
  Measured each;       // processor time per sample, seconds
  IntervalVerdict verdict = IntervalVerdict::kUndecided;
  bool by_cpu = true;  // whether processor time decided
  std::optional<IntervalCorrelations> correlations = {};
  std::string without_correlations = {};  // why there are none
};

struct CostOptions {
  double detect = 0.01;  // a smaller relative increase never counts
  double confidence = 0.95;
  IntervalSampler sampler = IntervalSampler::kProfiler;
};

// One element for each interval. The intervals of all ratios hold together with `confidence`
// (Bonferroni), for processor time and for elapsed time; those of the other numbers hold alone.
std::vector<IntervalCost> CostsOf(std::span<const IntervalRun> runs,
                                  std::span<const double> intervals, const CostOptions& options);

// Adds `correlations` to the costs of a trace's sampler: every run, with its records added up to
// the longest interval, is judged by the runs at that interval.
Result<void> AddCorrelations(std::span<const IntervalRun> runs, const AlignOptions& align,
                             const JudgeOptions& how, std::vector<IntervalCost>& costs);

// The longest interval that perturbs; absent if there is none.
std::optional<std::size_t> FirstPerturbing(std::span<const IntervalCost> costs);

}  // namespace tare::perturb
