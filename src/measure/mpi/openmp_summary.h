// openmp_summary.h: where the OpenMP threads of a trace spent their time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "format/mpi_trace.h"
#include "measure/mpi/openmp_regions.h"

namespace tare::mpi {

// Sums over regions. Inner regions of nested parallelism count in `regions` and `barriers`; their
// time is part of that of the outer region.
struct OpenMpTotals {
  std::uint64_t regions = 0;
  std::uint64_t barriers = 0;   // that teams passed, ends of regions included
  std::uint32_t threads = 0;    // of the largest team
  double seconds = 0;           // in regions
  double thread_seconds = 0;    // the same for each thread of a team
  double work_seconds = 0;      // CPU time of threads, without waiting
  double waiting_seconds = 0;   // of threads
  double slowest_seconds = 0;   // CPU time of the member with most of it, summed over regions
  double balanced_seconds = 0;  // CPU time per member, likewise

  double WaitingShare() const;  // of the threads' time in regions; 0 if there is none
  double Imbalance() const;     // slowest / balanced; 0 if there is none

  friend bool operator==(const OpenMpTotals&, const OpenMpTotals&) = default;
};

struct RankOpenMp {
  std::uint32_t rank = 0;
  tare_mpi_openmp runtime = TARE_MPI_OPENMP_NONE;
  OpenMpTotals totals;
};

// The regions of one place of the code, of all ranks.
struct PlaceOpenMp {
  format::OpenMpPlace place;  // its path is that of the program, if it is in the program
  std::string build_id;       // of the program, if the place is in it
  bool is_known = false;
  OpenMpTotals totals;
};

struct WaitTotals {
  WaitKind kind = WaitKind::kExplicit;
  std::uint64_t waits = 0;  // of all threads
  double seconds = 0;
};

struct OpenMpSummary {
  std::vector<RankOpenMp> ranks;    // all
  std::vector<PlaceOpenMp> places;  // by time, longest first
  std::vector<WaitTotals> waits;    // kinds that occur
  OpenMpTotals all;
};

OpenMpSummary SummariseOpenMp(const format::MpiTrace& trace);

// Why the rank has no OpenMP regions although it has an OpenMP runtime; empty if it has none.
std::string OpenMpAbsence(tare_mpi_openmp runtime);

}  // namespace tare::mpi
