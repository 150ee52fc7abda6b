// curves.h: measuring access rates as a function of the working-set size, in rounds.
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
  double budget_seconds = 0;  // no round starts after it, once every point has its minimum samples
};

// Each round uses fresh memory and visits all points that need a sample in random order, each in
// another part of it, so that repetitions also vary the page placement. Chained points are visited
// by ascending size, because their cycle grows. Points are added around steps after the first
// rounds. `keep` is called after each round. Continues from the samples that `curves` already
// contains.
Result<void> MeasureCurves(const CurveConfig& config, std::vector<CurveSamples>& curves,
                           const std::function<Result<void>()>& save, const Progress& progress);

}  // namespace tare::survey
