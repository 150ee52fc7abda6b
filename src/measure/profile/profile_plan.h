// profile_plan.h: how often or how long to sample so that small parts get enough samples.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"

namespace tare::profile {

struct PlanRequest {
  double share = 0.05;              // of the smallest part that matters, in (0, 1]
  std::uint64_t samples = 10;       // that it needs at least
  double chance = 0.99;             // that it gets them
  std::uint64_t parts = 1;          // that all must get them at once
  std::optional<double> seconds;    // processor time of the program
  std::optional<double> frequency;  // samples per second
};

struct SamplePlan {
  std::uint64_t samples = 0;           // for each part with that chance
  std::uint64_t samples_together = 0;  // for all parts at once with that chance (Bonferroni)
  // With the duration: the longest period; with the frequency: the shortest duration. Of
  // `samples`, and of `samples_together`.
  std::optional<double> period_seconds;
  std::optional<double> period_together_seconds;
  std::optional<double> duration_seconds;
  std::optional<double> duration_together_seconds;
};

Result<SamplePlan> PlanSamples(const PlanRequest& request);

}  // namespace tare::profile
