// clock_cost.h: what a reading of a clock costs, and how finely the clock steps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/caveat.h"
#include "base/progress.h"
#include "base/result.h"
#include "machine/clock/clock.h"
#include "stats/interval.h"

namespace tare::clock {

struct CostConfig {
  unsigned batches = 150;         // of readings and of pairs
  double batch_seconds = 150e-6;  // aimed at; a batch holds one reading at least
  double step_seconds = 0.05;     // how long the clock is watched for steps
  double confidence = 0.95;
  std::optional<unsigned> processor;  // to pin to
};

// Differences between consecutive readings, in ticks.
struct Steps {
  std::uint64_t readings = 0;
  std::uint64_t zero = 0;  // readings equal to the one before
  std::uint64_t seen = 0;  // readings above the one before
  std::uint64_t least = 0;
  double median = 0;
  double p99 = 0;
  std::uint64_t most = 0;
  std::uint64_t divisor = 0;             // greatest common divisor of all steps
  std::vector<std::uint64_t> histogram;  // [i] counts steps of 2^i to 2^(i+1) - 1 ticks
  std::uint64_t backward = 0;            // readings below the one before
  std::uint64_t worst_backward = 0;
};

// `forward` are the differences above zero, in any order; the counts of others are left alone.
Result<Steps> DescribeSteps(std::span<const std::uint64_t> forward, std::uint64_t zero);

// The clock's tick in ticks of its reading: the least step where readings are seen to repeat, else
// the common divisor of the steps, for then each reading takes longer than a tick. Nothing when no
// step was seen.
std::optional<std::uint64_t> ResolutionTicks(const Steps& steps);

enum class OverheadSource { kPairs, kReadCost };
std::string_view Name(OverheadSource source);

// All in seconds.
struct ClockCost {
  stats::Estimate read;      // one reading, from batches timed by CLOCK_MONOTONIC
  stats::Estimate overhead;  // T1 + T2: what two readings around nothing report
  // kReadCost where the clock steps too coarsely to see its own overhead: then the two are equal by
  // definition, and the overhead is the cost of a reading.
  OverheadSource overhead_source = OverheadSource::kPairs;
  TickPeriod tick;
  Steps steps;
  std::optional<double> resolution;
  std::vector<Caveat> caveats;
};

// Measures an available clock. Takes about 2 * batches * batch_seconds + step_seconds.
Result<ClockCost> MeasureClockCost(const Clock& clock, const CostConfig& config,
                                   const Progress& progress);

// The shortest intervals that the clock times well: 100 and 1000 times its overhead, and never less
// than 100 and 1000 times its resolution.
struct LongEnough {
  double hundredfold;
  double thousandfold;
  bool limited_by_resolution;
};
LongEnough IntervalLongEnough(double overhead_seconds, std::optional<double> resolution_seconds);

}  // namespace tare::clock
