// sample_cost.h: what one sample costs the sampled program.
#pragma once

#include "base/measured.h"
#include "base/result.h"
#include "measure/profile/sampling_events.h"

namespace tare::profile {

// Seconds per sample with these call chains, measured on a loop of this process with and without
// sampling. Takes about 150 ms.
Result<Measured> MeasureSampleCost(const SamplingPlan& plan);

}  // namespace tare::profile
