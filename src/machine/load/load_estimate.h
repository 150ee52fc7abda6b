// load_estimate.h: from counts to the number of busy processes on a core.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "machine/load/calibration.h"
#include "machine/load/counting_process.h"
#include "stats/interval.h"

namespace tare::load {

// Times in seconds since the counting began.
struct LoadWindow {
  double start;
  double end;
  unsigned core;
  // Other busy processes that shared the core, on average: calibrated rate / rate - 1.
  stats::Estimate load;
  double own_share;            // of the core, by the kernel's account of the counter's CPU time
  double rate;                 // counts per second of wall time
  double rate_per_cpu_second;  // counts per second of own CPU time: the core's speed
  double longest_gap;
  std::uint64_t gaps;
  std::vector<Caveat> caveats;
};

// Of 2 slices or more of one core that follow each other. The interval holds the spread of the
// slices, the uncertainty of the calibration and that of one turn of the scheduler at the ends of
// the window; where the core's speed is not the calibrated one, it reaches to the load that the
// present speed would give.
Result<LoadWindow> EstimateLoad(std::span<const CountSlice> slices, const CoreRate& calibrated,
                                double confidence);

// Slices parted at multiples of `every`, each window estimated; windows with fewer than 2 slices
// are left out.
Result<std::vector<LoadWindow>> EstimateWindows(const CoreCounts& counts,
                                                const CoreRate& calibrated, double every,
                                                double confidence);

}  // namespace tare::load
