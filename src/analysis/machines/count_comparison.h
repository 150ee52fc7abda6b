// count_comparison.h: compares the counts of several machines for the same programs: deviation from
// the mean, and scatter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/machines/count_set.h"
#include "base/result.h"
#include "stats/interval.h"

namespace tare::machines {

// With fewer runs a standard deviation says little.
inline constexpr std::int64_t kFewRuns = 6;

struct CompareOptions {
  std::vector<std::string>
      excluded;  // machines that are shown, but excluded from mean and deviation
  double confidence = 0.95;
};

// One benchmark on one machine.
struct MachineResult {
  std::int64_t runs;
  Measured delta;  // the machine's mean minus the benchmark's; no interval if a machine has one run
  std::optional<Measured> within;  // standard deviation over its runs; absent for one run
  double score = 0;  // of stats/outlier.h among the machines of the mean; 0 for excluded ones
  bool outlier = false;
  std::string doubt;  // why the count is doubtful; empty if it is not
};

// If all machines that counted it are excluded, there is no mean and no delta.
struct BenchmarkResult {
  std::string benchmark;
  std::size_t averaged = 0;  // number of machines in the mean
  CountValue mean;           // of the machines' means, equally weighted
  std::optional<Measured>
      between;  // standard deviation of the machines' means (n - 1); requires 2 machines
  std::optional<Measured> within;  // pooled over the machines of the mean
  double within_degrees = 0;
  std::vector<std::optional<MachineResult>> machines;  // one per element of Comparison::machines

  // The deviation and its interval relative to the mean; absent if the mean is 0.
  std::optional<Measured> Relative(const std::optional<Measured>& deviation) const;
};

struct Comparison {
  std::vector<std::string> machines;  // in order of first occurrence
  std::vector<bool> excluded;
  std::vector<BenchmarkResult> benchmarks;
  bool repeated = false;  // some machine has several runs of some benchmark
};

// kUsage if there is neither a second run nor a second machine, if a machine to exclude does not
// exist, or if none is left; kFormat if there are implausibly many machines.
Result<Comparison> Compare(const CountSet& counts, const CompareOptions& options);

}  // namespace tare::machines
