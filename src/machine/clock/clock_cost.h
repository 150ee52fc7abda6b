// clock_cost.h: the cost of reading a clock, and the clock's resolution.
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
  double batch_seconds = 150e-6;  // target; a batch has at least one reading
  double step_seconds = 0.05;     // how long the clock is observed for steps
  double confidence = 0.95;
  std::optional<unsigned> processor;  // to pin to
};

// Differences between consecutive readings, in ticks.
struct Steps {
  std::uint64_t readings = 0;
  std::uint64_t zero = 0;  // readings equal to the previous one
  std::uint64_t seen = 0;  // readings above the previous one
  std::uint64_t min = 0;
  double median = 0;
  double p99 = 0;
  std::uint64_t max = 0;
  std::uint64_t divisor = 0;             // greatest common divisor of all steps
  std::vector<std::uint64_t> histogram;  // [i] counts steps of 2^i to 2^(i+1) - 1 ticks
  std::uint64_t backward = 0;            // readings below the previous one
  std::uint64_t worst_backward = 0;
};

// `forward` contains the differences above zero, in any order; the backward counts stay 0.
Result<Steps> DescribeSteps(std::span<const std::uint64_t> forward, std::uint64_t zero);

// The clock's resolution in ticks of its reading. Where readings repeat it is the smallest step.
// Otherwise a reading takes longer than a tick, and it is the common divisor of the steps. Nothing
// when no step was observed.
std::optional<std::uint64_t> ResolutionTicks(const Steps& steps);

enum class OverheadSource { kPairs, kReadCost };
std::string_view Name(OverheadSource source);

// All in seconds.
struct ClockCost {
  Measured read;      // one reading, from batches timed by CLOCK_MONOTONIC
  Measured overhead;  // T1 + T2: what two readings with nothing between them report
  // kReadCost where the clock steps too coarsely to show its own overhead. The overhead is then
  // defined as the cost of one reading.
  OverheadSource overhead_source = OverheadSource::kPairs;
  Measured tick;  // length
  Steps steps;
  std::optional<double> resolution;
  std::vector<Caveat> caveats;
};

// Measures an available clock. Takes about 2 * batches * batch_seconds + step_seconds.
Result<ClockCost> MeasureClockCost(const Clock& clock, const CostConfig& config,
                                   const Progress& progress);

// The shortest intervals that the clock measures well: 100 and 1000 times its overhead, but at
// least 100 and 1000 times its resolution.
struct LongEnough {
  double hundredfold;
  double thousandfold;
  bool limited_by_resolution;
};
LongEnough IntervalLongEnough(double overhead_seconds, std::optional<double> resolution_seconds);

}  // namespace tare::clock
