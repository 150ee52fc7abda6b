// mpi_summary.h: where the ranks of a trace spent their time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/caveat.h"
#include "format/mpi_trace.h"

namespace tare::mpi {

struct RankSummary {
  std::uint32_t rank = 0;
  double seconds = 0;           // from MPI_Init to the end of the last call
  double compute_seconds = 0;   // CPU time between calls, from MPI_Init on
  double mpi_seconds = 0;       // in calls, MPI_Init and MPI_Finalize included
  double start_up_seconds = 0;  // in MPI_Init
  double before_seconds = 0;    // CPU time before MPI_Init
  std::uint64_t calls = 0;
  std::uint64_t messages = 0;  // sent point to point
  std::uint64_t message_bytes = 0;
  std::uint64_t collectives = 0;
};

struct FunctionSummary {
  format::MpiFunction function = TARE_MPI_F_Init;
  std::uint64_t calls = 0;
  double seconds = 0;
  std::uint64_t bytes = 0;  // sent
};

// Sizes of messages point to point: messages of [2^(bucket-1), 2^bucket) bytes; bucket 0: empty.
struct SizeBucket {
  unsigned bucket = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct MpiSummary {
  double seconds = 0;  // of the job: first MPI_Init to the last end, on the common clock
  std::vector<RankSummary> ranks;
  std::vector<FunctionSummary> functions;  // by time, longest first
  std::vector<SizeBucket> sizes;           // those that occur
};

MpiSummary SummariseMpi(const format::MpiTrace& trace);

// Whether a considerable part of the time between calls was not spent on a processor. `elapsed` and
// `cpu`: sums over ranks in seconds.
std::optional<Caveat> OffProcessor(double elapsed, double cpu);

}  // namespace tare::mpi
