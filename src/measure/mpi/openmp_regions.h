// openmp_regions.h: parallel regions of a process, their members and where these waited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "format/mpi_trace.h"

namespace tare::mpi {

enum class WaitKind : std::uint8_t {
  kExplicit,   // barrier
  kImplicit,   // at the end of a loop, single or sections
  kRegionEnd,  // at the end of a parallel region
  kTaskwait,
  kTaskgroup,
  kOther,  // of the runtime itself
};
inline constexpr std::size_t kWaitKinds = 6;
std::string_view Name(WaitKind kind);
// All members of the team wait for each other.
bool IsBarrier(WaitKind kind);

// Times are in ns since MPI_Init, as in format::MpiEvent.
struct OpenMpWait {
  WaitKind kind = WaitKind::kExplicit;
  std::uint16_t thread = 0;
  std::uint32_t member = 0;  // index into OpenMpRegions::members
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t task_ns = 0;  // thereof the thread executed tasks instead of waiting

  std::uint64_t WaitedNs() const;
};

// A thread of a team.
struct OpenMpMember {
  std::uint32_t region = 0;  // index into OpenMpRegions::regions
  std::uint16_t thread = 0;
  std::uint32_t index = 0;             // in the team; 0 is the thread that started the region
  std::optional<std::uint32_t> outer;  // the member that this thread is at the same time
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;               // the region's
  std::uint64_t work_ns = 0;             // CPU time without waiting, inner regions included
  std::uint64_t waiting_ns = 0;          // at all waits, inner regions included
  std::vector<std::uint64_t> phases_ns;  // CPU time of the parts that barriers separate
};

struct OpenMpRegion {
  std::uint64_t number = 0;
  std::uint16_t thread = 0;  // that started it
  std::uint32_t place = 0;   // index into OpenMpTrace::places plus 1; 0: unknown
  bool is_nested = false;    // in another region
  std::uint32_t threads = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t master_cpu_ns = 0;  // CPU time of `thread` in the region, waiting included
  // Of the region on as many free cores as threads: the sum over its phases of the CPU time of the
  // slowest member; if members passed different numbers of barriers, that of the slowest member.
  std::uint64_t path_ns = 0;
  double mean_work_ns = 0;  // CPU time per member
  std::uint64_t max_work_ns = 0;
};

// Regions that have ended, by start. A region that the process was killed in is not there.
struct OpenMpRegions {
  std::vector<OpenMpRegion> regions;
  std::vector<OpenMpMember> members;
  std::vector<OpenMpWait> waits;
};

OpenMpRegions FindOpenMpRegions(const format::OpenMpTrace& trace);

// Sets burst_path_ns of the calls of the first thread. A region in which a thread calls MPI counts
// with the CPU time of the first thread alone.
void PriceParallelBursts(format::MpiRank& rank);

}  // namespace tare::mpi
