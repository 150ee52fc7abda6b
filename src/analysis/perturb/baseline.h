// baseline.h: runs that nothing was added to: what their metrics have to do with each other, and
// how much that differs from run to run.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/perturb/baseline_spread.h"
#include "analysis/perturb/signals.h"
#include "base/result.h"

namespace tare::perturb {

struct BaselineOptions {
  // Of what is watched; empty: all that can be. Names.
  std::vector<std::string> metrics = {};
  // Those of the program itself too: between instrumented runs.
  bool software = false;
};

struct MetricPair {
  std::size_t first;  // elements of Baseline::metrics
  std::size_t second;
};

struct Baseline {
  std::vector<TraceSignals> runs;
  std::vector<std::string> metrics;  // in every run, never constant
  std::vector<Unusable> left_out;
  std::vector<MetricPair> pairs;                  // all, in order
  std::vector<std::vector<double>> correlations;  // by pair, then by run

  Spread SpreadOf(std::size_t pair) const { return Spread(correlations[pair]); }
};

// Two runs cannot show a spread.
inline constexpr std::size_t kMinRuns = 3;

// kUsage, with a sentence: too few runs, runs of different things, metrics that are not there, no
// pair of metrics left.
Result<Baseline> MakeBaseline(std::vector<TraceSignals> runs, const BaselineOptions& options);

}  // namespace tare::perturb
