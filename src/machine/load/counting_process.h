// counting_process.h: the counting process, one thread per core.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"

namespace tare::load {

// Names the loop and its length: counts of different loops cannot be compared.
inline constexpr std::string_view kLoopId = "chain-8192-1";

// What one thread counted between two moments at which it was running. Times in seconds since the
// counting began.
struct CountSlice {
  double start;
  double end;
  double count;        // steps of the loop
  double cpu_seconds;  // that the kernel says the thread ran
  double longest_gap;  // for which the thread did not run; 0 when it was never away
  std::uint32_t gaps;

  double Wall() const { return end - start; }
};

struct CoreCounts {
  unsigned core;
  std::vector<CountSlice> slices;  // one after the other, without time between them
};

struct CountConfig {
  std::vector<unsigned> cores;  // distinct
  double slice_seconds;
  double total_seconds;
};

// Counts on all the cores at once. A slice ends at the first moment at or after its place in the
// grid of `slice_seconds` at which the thread runs, so a thread that is kept waiting makes fewer
// and longer ones. The calling thread sleeps meanwhile.
Result<std::vector<CoreCounts>> CountOnCores(const CountConfig& config, std::string_view what,
                                             const Progress& progress);

}  // namespace tare::load
