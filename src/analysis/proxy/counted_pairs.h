// counted_pairs.h: both programs under an engine that sees every instruction, and the events of a
// described processor with them, at several layouts of memory.
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
  std::vector<std::string> doubts;   // that hold for all of them
  std::vector<Caveat> caveats;
};

// By the virtual engine where a processor is described, otherwise or where it cannot run by
// Valgrind's or QEMU's, without events. The first layout is run twice. `vanilla` and `instrumented`
// are how the programs end on their own.
Result<CountedPairs> CountPairs(const ProxyRequest& request, const run::Finished& vanilla,
                                const run::Finished& instrumented, const host::EngineFiles& files,
                                count::Images& images, const Progress& progress);

}  // namespace tare::proxy
