// short_measure.h: timing one short event by a coarse clock and by a fine clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/caveat.h"
#include "base/progress.h"
#include "base/result.h"
#include "machine/clock/clock.h"
#include "machine/clock/short_interval.h"
#include "stats/interval.h"

namespace tare::clock {

struct ShortConfig {
  // Of the coarse clock, which is derived from the fine one; at most 100 ms.
  double tick_seconds = 40e-6;
  double event_seconds = 3e-6;  // target; at most 1,000 ticks and 100 ms
  // Fewer if they would take more than 5 s each: see PlanShort.
  std::uint64_t measurements = 10'000;
  unsigned blocks = 100;  // of the difference method
  std::uint64_t seed = 1;
  double confidence = 0.95;
  stats::ProportionMethod method = stats::ProportionMethod::kWilson;
  std::optional<unsigned> processor;
  std::optional<ClockId> fine;  // default: the finest available
};

// Durations in seconds. Both results are for the event alone: the clock's own overhead is
// subtracted from the coarse measurement, and its uncertainty is added.
struct ShortMeasurement {
  const Clock* fine;
  Measured fine_tick;          // length in seconds
  std::uint64_t event_steps;   // of DependentChain
  std::uint64_t measurements;  // that the estimate uses
  std::uint64_t advanced;      // ticks in these
  // An undisturbed event advances the clock by n or n + 1 ticks; n is 0 if it is shorter than one.
  std::uint32_t n;
  std::map<std::uint32_t, std::uint64_t> by_advance;  // measurements by ticks, of all
  // Measurements that advanced by another number of ticks. Excluded from `measurements` while they
  // are few (one in twenty).
  std::uint64_t several;
  std::uint64_t disturbed;  // of all measurements: over twice the median by the fine clock
  ShortEstimate with_overhead;
  Measured overhead;
  Measured by_ticks;
  std::uint64_t repetitions;  // N of the difference method
  Measured by_difference;     // (time of 2N - time of N) / N
  Measured apart;             // by_ticks - by_difference, at kAgreementConfidence
  bool agree;                 // `apart` contains 0
  std::vector<Caveat> caveats;
};

// Two correct methods are called different in one of a hundred cases.
inline constexpr double kAgreementConfidence = 0.99;

// How much is measured, and how long that takes on an idle core.
struct ShortPlan {
  std::uint64_t measurements;
  unsigned blocks;
  double seconds;
};

// As many measurements and blocks as `config` asks for and 5 s each allow, but not fewer than the
// intervals need: 50 measurements. So both together take 15 s at most, unless a confidence of more
// than 0.9999 needs more blocks. kUsage if an event or a tick is too long for that.
Result<ShortPlan> PlanShort(const ShortConfig& config);

// Times an event shorter than a tick, or of a few ticks. Takes less than a second with the
// defaults. The coarse measurements start after delays drawn from `seed`, uniform over one tick, so
// that they are independent of the tick and of each other. `progress` is called every 20 ms, but
// not during an event.
Result<ShortMeasurement> MeasureShort(const ShortConfig& config, const Progress& progress);

}  // namespace tare::clock
