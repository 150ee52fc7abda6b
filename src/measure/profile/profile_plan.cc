// profile_plan.cc: binomial tails give the number of samples.
#include "measure/profile/profile_plan.h"

#include "stats/sample_size.h"

namespace tare::profile {

Result<SamplePlan> PlanSamples(const PlanRequest& request) {
  SamplePlan plan;
  TRY(plan.samples, stats::SamplesForCount(request.share, request.samples, request.chance));
  const auto parts = static_cast<double>(request.parts == 0 ? 1 : request.parts);
  TRY(plan.samples_together,
      stats::SamplesForCount(request.share, request.samples, 1 - (1 - request.chance) / parts));
  const auto each = static_cast<double>(plan.samples);
  const auto together = static_cast<double>(plan.samples_together);
  if (request.seconds) {
    plan.period_seconds = *request.seconds / each;
    plan.period_together_seconds = *request.seconds / together;
  }
  if (request.frequency) {
    plan.duration_seconds = each / *request.frequency;
    plan.duration_together_seconds = together / *request.frequency;
  }
  return plan;
}

}  // namespace tare::profile
