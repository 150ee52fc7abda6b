// hardware_pairs.h: both programs on their own, in turn, with the processor's counters.
#pragma once

#include <vector>

#include "analysis/proxy/proxy_measurement.h"
#include "base/progress.h"
#include "base/result.h"

namespace tare::proxy {

// hardware-instructions and the others that the processor counts, not yet judged. A few pairs, or
// one run where it shows none.
Result<std::vector<MetricRatio>> CountByProcessor(const ProxyRequest& request,
                                                  const host::EngineFiles& files,
                                                  count::Images& images, const Progress& progress);

}  // namespace tare::proxy
