// repeat.h: repeats runs of several settings in random order until the result is precise enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "measure/run/process.h"

namespace tare::run {

// Runs continue until, for every setting, the confidence interval of the wall times' centre is at
// most `relative_width` of the centre wide, from end to end.
struct Precision {
  enum class Centre { kMean, kMedian };
  double relative_width = 0.02;
  Centre centre = Centre::kMedian;
  double confidence = 0.95;
  std::size_t min_runs = 6;  // minimum for a 95 % interval of the median
  std::size_t max_runs = 1000;
};

// Whether the interval of these samples is narrow enough, and there are min_runs of them.
bool IsPreciseEnough(std::span<const double> samples, const Precision& until);

// All numbers of runs are per setting.
struct Plan {
  std::size_t warm_up_runs = 0;  // not in the results
  std::size_t runs = 10;
  std::optional<Precision> until;     // instead of `runs`
  std::optional<double> max_seconds;  // no new round once the sum of all wall times reaches this
  std::uint64_t seed = 1;             // of the run order
};

struct Repeated {
  enum class Stopped { kDone, kMaxRuns, kOutOfTime };
  std::vector<std::vector<Finished>> runs;  // by setting, in order of time
  std::vector<std::size_t> order;           // setting of each kept run, in order of time
  Stopped stopped = Stopped::kDone;
};

// Runs `settings` settings in rounds. Each round is a permutation drawn from the seed, so that
// drift of the machine affects all settings alike. Runs at least one round. The first error ends
// it. An interrupted run, or `progress` that returns false, ends it with kInterrupted.
Result<Repeated> Repeat(const Plan& plan, std::size_t settings,
                        const std::function<Result<Finished>(std::size_t setting)>& run,
                        const Progress& progress = NoProgress);

}  // namespace tare::run
