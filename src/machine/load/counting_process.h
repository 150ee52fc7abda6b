// counting_process.h: threads that count on several cores, one per core.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"

namespace tare::load {

// Identifies the loop and its length: counts of different loops are not comparable.
inline constexpr std::string_view kLoopId = "chain-8192-1";

// What one thread counted between two moments at which it ran. Times in seconds since the start of
// counting.
struct CountSlice {
  double start;
  double end;
  double count;        // steps of the loop
  double cpu_seconds;  // the thread's CPU time according to the kernel
  double longest_gap;  // for which the thread did not run; 0 when it always ran
  std::uint32_t gaps;

  double Wall() const { return end - start; }
};

struct CoreCounts {
  unsigned core;
  std::vector<CountSlice> slices;  // consecutive, without time between them
};

struct CountConfig {
  std::vector<unsigned> cores;  // distinct
  double slice_seconds;
  double total_seconds;
  std::function<bool()> ended = {};  // polled; counting ends early once it returns true
  unsigned copies = 1;               // threads on each core, 1 or more
};

// Counts on all cores at once. A slice ends at the first moment, at or after its boundary in the
// grid of `slice_seconds`, at which the thread runs. A thread that has to wait therefore produces
// fewer and longer slices. The calling thread sleeps meanwhile. The copies of a core follow each
// other in the result.
Result<std::vector<CoreCounts>> CountOnCores(const CountConfig& config, std::string_view what,
                                             const Progress& progress);

}  // namespace tare::load
