// count_comparison.h: what several machines counted of the same programs: how far each is from
// their mean, and how much they scatter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/count_set.h"
#include "base/result.h"
#include "stats/interval.h"

namespace tare::compare {

// With fewer runs a standard deviation says little.
inline constexpr std::int64_t kFewRuns = 6;

struct CompareChoice {
  std::vector<std::string> aside;  // machines that are shown and kept out of mean and deviation
  double confidence = 0.95;
};

// One benchmark on one machine.
struct MachineResult {
  std::int64_t runs;
  double delta;                                // the machine's mean less the benchmark's
  std::optional<stats::Interval> delta_range;  // none where a machine has one run
  std::optional<stats::Estimate> within;       // standard deviation over its runs; none for one run
  double score = 0;  // of stats/outlier.h among the machines of the mean; 0 for those aside
  bool outlier = false;
  std::string doubt;  // why the count is doubtful; empty when it is not
};

// Without machines in the mean (all that counted it are aside), there is no mean and no delta.
struct BenchmarkResult {
  std::string benchmark;
  std::size_t averaged = 0;                // how many machines the mean is of
  CountValue mean;                         // of the machines' means, each with the same weight
  std::optional<stats::Estimate> between;  // sd of the machines' means, n - 1; needs 2 machines
  std::optional<stats::Estimate> within;   // pooled over the machines of the mean
  double within_degrees = 0;
  std::vector<std::optional<MachineResult>> machines;  // as long as Comparison::machines

  // Of the deviation or an end of its interval; nothing where the mean is 0.
  std::optional<stats::Estimate> Relative(const std::optional<stats::Estimate>& deviation) const;
};

struct Comparison {
  std::vector<std::string> machines;  // in the order in which they were met
  std::vector<bool> aside;
  std::vector<BenchmarkResult> benchmarks;
  bool repeated = false;  // some machine has several runs of some benchmark
};

// Fails with kUsage when no machine has a second run and there is no second machine, when a machine
// to be put aside is not there, or none is left; with kFormat when there are too many machines to
// be true.
Result<Comparison> Compare(const CountSet& counts, const CompareChoice& choice);

}  // namespace tare::compare
