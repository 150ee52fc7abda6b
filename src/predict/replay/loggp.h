// loggp.h: our own engine: LogGP, with links per node and buses as DIMEMAS has them.
#pragma once

#include "predict/replay/replay.h"

namespace tare::replay {

Result<ReplayResult> ReplayWithLogGp(const MessageProgram& program, const Network& network,
                                     const ReplayOptions& options);

}  // namespace tare::replay
