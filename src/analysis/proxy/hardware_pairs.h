// hardware_pairs.h: native runs of both programs, alternating, with hardware counters.
#pragma once

#include <vector>

#include "analysis/proxy/proxy_measurement.h"
#include "base/progress.h"
#include "base/result.h"

namespace tare::proxy {

// Before the names of metrics: of the engine `hardware`, and events requested by name.
inline constexpr std::string_view kHardwarePrefix = "hardware-";
inline constexpr std::string_view kEventPrefix = "event-";

// hardware-instructions and the other available hardware metrics, not yet judged. Runs a few pairs,
// or once if there are no counters.
Result<std::vector<MetricRatio>> CountByProcessor(const ProxyRequest& request,
                                                  const host::EngineFiles& files,
                                                  count::Images& images, const Progress& progress);

}  // namespace tare::proxy
