// machine_network.h: `tare machine measure --network`: measures a network by a ping-pong.
#pragma once

#include <string>

#include "cli/command.h"

namespace tare::cli {

// The session's program is a launcher with its options ("mpirun -n 2"); the ping-pong is appended.
Result<Outcome> MeasureNetwork(const std::string& output, const std::string& name, bool quick,
                               Session& session);

}  // namespace tare::cli
