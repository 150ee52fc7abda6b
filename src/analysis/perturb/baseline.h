// baseline.h: runs without added instrumentation: the correlations between their metrics, and how
// these vary from run to run.
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
  // Names of the metrics to watch; empty: all that can be.
  std::vector<std::string> metrics = {};
  // Includes the program's software metrics, to compare instrumented runs.
  bool software = false;
};

struct MetricPair {
  std::size_t first;  // index in Baseline::metrics
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

// kUsage for too few runs, runs of different programs, unknown metrics, or no remaining pair of
// metrics.
Result<Baseline> MakeBaseline(std::vector<TraceSignals> runs, const BaselineOptions& options);

}  // namespace tare::perturb
