// counted_pairs.h: counts both programs, and the modelled events of a processor, at several memory
// layouts.
#pragma once

#include <vector>

#include "analysis/proxy/proxy_measurement.h"
#include "base/progress.h"
#include "base/result.h"

namespace tare::proxy {

struct CountedPairs {
  CountedRuns runs;
  std::size_t layouts = 0;
  std::vector<MetricRatio> metrics;  // not yet judged
  std::vector<std::string> doubts;   // apply to all of them
  std::vector<Caveat> caveats;
};

// Uses the virtual engine if a processor is described; otherwise, or if that cannot run, Valgrind
// or QEMU without events. Runs the first layout twice. `vanilla` and `instrumented` are native
// runs.
Result<CountedPairs> CountPairs(const ProxyRequest& request, const run::Finished& vanilla,
                                const run::Finished& instrumented, const host::EngineFiles& files,
                                count::Images& images, const Progress& progress);

}  // namespace tare::proxy
