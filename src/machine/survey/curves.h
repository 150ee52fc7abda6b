// curves.h: rates against the size of the working set, in rounds.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "machine/microbenchmark/buffer.h"
#include "machine/survey/survey_plan.h"
#include "machine/survey/survey_state.h"

namespace tare::survey {

struct CurveConfig {
  std::vector<machine_profile::CurveKey> keys;
  SizeRange range;
  unsigned line_bytes = 64;
  std::uint64_t last_cache_bytes = 0;
  microbenchmark::Pages pages = microbenchmark::Pages::kSystem;
  bool quick = false;
  std::uint64_t seed = 1;
  double budget_seconds = 0;  // no round begins after it, once every point has its least samples
};

// Each round takes fresh memory and visits all points that want a sample in a random order, each in
// another part of it, so that repetitions also differ in where their pages lie; chained ones by
// rising size, as their cycle grows. Points are added around steps after the first rounds. `keep`
// is called after each round. What `curves` already holds is gone on with.
Result<void> MeasureCurves(const CurveConfig& config, std::vector<CurveSamples>& curves,
                           const std::function<Result<void>()>& keep, const Progress& progress);

}  // namespace tare::survey
