// sample_plan.h: chooses how many consecutive blocks of how many a sample of a trace needs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"

namespace tare::events {

struct TriedSample {
  std::uint64_t kept = 0;
  std::uint64_t period = 0;
  std::uint64_t samples = 0;
  double error = 0;  // half width of the 95 % interval of the largest function's share
};

struct SamplePlan {
  std::uint64_t kept = 0;  // 0: no sample reaches the error
  std::uint64_t period = 0;
  double error = 0;
  std::vector<TriedSample> tried;
};

// Tries several samples on a trace. Chooses the one that keeps the fewest blocks and knows the
// share of the function with the most instructions to within `error`.
Result<SamplePlan> PlanSample(const std::filesystem::path& path, double error);

}  // namespace tare::events
