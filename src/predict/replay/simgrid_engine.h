// simgrid_engine.h: replay on SimGrid's models of shared links and topologies.
#pragma once

#include "predict/replay/replay.h"

namespace tare::replay {

// SimGrid has one simulation per process and ends the process on errors, so it runs in a child.
// `options.simgrid` must name the module.
Result<ReplayResult> ReplayWithSimGrid(const MessageProgram& program, const Network& network,
                                       const ReplayOptions& options);

}  // namespace tare::replay
