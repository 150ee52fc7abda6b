// load_estimate.h: estimating the number of busy processes on a core from counts.
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

// Times in seconds since the start of counting.
struct LoadWindow {
  double start;
  double end;
  unsigned core;
  // Mean number of other busy processes that shared the core: calibrated rate / rate - 1.
  Measured load;
  double own_share;  // of the core, from the counter's CPU time in the kernel's accounting
  double rate;       // counts per second of wall time
  double rate_per_cpu_second;  // counts per second of own CPU time: the core's speed
  double longest_gap;
  std::uint64_t gaps;
  std::vector<Caveat> caveats;
};

// Needs 2 or more consecutive slices of one core. The interval covers the spread of the slices, the
// uncertainty of the calibration and one scheduler time slice at the ends of the window. Where the
// core's speed differs from the calibrated one, it extends to the load at the present speed.
Result<LoadWindow> EstimateLoad(std::span<const CountSlice> slices, const CoreRate& calibrated,
                                double confidence);

// Splits the slices at multiples of `every` and estimates each window; windows with fewer than 2
// slices are omitted.
Result<std::vector<LoadWindow>> EstimateWindows(const CoreCounts& counts,
                                                const CoreRate& calibrated, double every,
                                                double confidence);

// The mean of one or more windows of one core. The interval of the load is Student's from the
// spread of the windows, which includes that of the load itself. It contains the mean of their
// lower and of their upper limits: an error of the calibration is the same in all windows, so that
// their spread does not show it.
Result<LoadWindow> MeanWindow(std::span<const LoadWindow> windows, double confidence);

}  // namespace tare::load
