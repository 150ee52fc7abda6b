// repeat.h: many runs, of several settings in turn, until the answer is sharp enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "measure/run/process.h"

namespace tare::run {

// Runs go on until, for every setting, the interval of the centre of the wall times is at most
// `relative_width` of the centre wide, from end to end.
struct Sharpness {
  enum class Centre { kMean, kMedian };
  double relative_width = 0.02;
  Centre centre = Centre::kMedian;
  double confidence = 0.95;
  std::size_t min_runs = 6;  // no fewer give an interval of the median at 95 %
  std::size_t max_runs = 1000;
};

// All numbers of runs are per setting.
struct Plan {
  std::size_t warm_up_runs = 0;  // whose results are dropped
  std::size_t runs = 10;
  std::optional<Sharpness> until;     // instead of `runs`
  std::optional<double> max_seconds;  // no new round once all wall times add up to that
  std::uint64_t seed = 1;             // of the order
};

struct Repeated {
  enum class Stopped { kDone, kMaxRuns, kOutOfTime };
  std::vector<std::vector<Finished>> runs;  // by setting, in the order of time
  std::vector<std::size_t> order;           // the setting of each run that is kept
  Stopped stopped = Stopped::kDone;
};

// Runs `settings` settings in rounds; each round is a permutation of them, drawn from the seed, so
// that what drifts on the machine meets all alike. At least one round is run. The first error ends
// it; so does a run that was interrupted or `progress` that says stop, with kInterrupted.
Result<Repeated> Repeat(const Plan& plan, std::size_t settings,
                        const std::function<Result<Finished>(std::size_t setting)>& run,
                        const Progress& progress = NoProgress);

}  // namespace tare::run
