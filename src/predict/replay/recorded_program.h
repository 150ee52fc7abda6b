// recorded_program.h: a recorded MPI run as a program to replay.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "format/mpi_trace.h"
#include "predict/replay/message_program.h"

namespace tare::replay {

// Which time a burst of computation takes in the replay.
enum class BurstTime : std::uint8_t {
  kCpu,   // the processor time of the rank: right if ranks had to share cores
  kWall,  // elapsed time: right if computation includes sleeping and files
};

struct TraceProgram {
  MessageProgram program;
  double cpu = 0;             // seconds of bursts, of all ranks
  double wall = 0;            // likewise, elapsed
  std::uint64_t skipped = 0;  // calls that a replay cannot represent
  std::string first_skipped;  // "MPI_Bcast on an intercommunicator"
};

// The trace must be joined: its ranks share communicators. The program starts when the last rank
// returned from MPI_Init and ends with the last call of MPI_Finalize. `factors`, by rank and event,
// multiply the times of bursts; a rank without any keeps them.
Result<TraceProgram> ProgramOf(const format::MpiTrace& trace, BurstTime burst_time,
                               std::span<const std::vector<double>> factors = {});

}  // namespace tare::replay
