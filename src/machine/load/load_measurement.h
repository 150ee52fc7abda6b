// load_measurement.h: measuring the load of cores over time.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/caveat.h"
#include "base/progress.h"
#include "base/result.h"
#include "machine/load/calibration.h"
#include "machine/load/load_estimate.h"

namespace tare::load {

struct LoadConfig {
  std::vector<unsigned> cores;  // all must be calibrated
  double every = 1;             // seconds; 0.05 or more
  // Seconds of each `every` in which the counters run, from its start; nothing: all of it.
  std::optional<double> window = {};
  double duration = 10;  // seconds; at least `every`
  double confidence = 0.95;
  std::function<void()> begin = {};  // called once, before counting, if all can be measured
  std::function<bool()> ended = {};  // the measurement ends early once it returns true
};

struct CoreLoad {
  // Over the whole duration. With pauses: MeanWindow of the windows.
  LoadWindow whole;
  double steal_share;
  std::vector<Caveat> caveats;  // including those of `whole`
};

struct LoadReport {
  double started;                   // seconds since 1970
  double seconds;                   // for which it was measured
  std::vector<LoadWindow> windows;  // by time, then by core
  std::vector<CoreLoad> cores;      // in the order of LoadConfig
  std::vector<Caveat> caveats;      // of the whole report
};

// Counts on all cores at once. Each counter is itself a busy process on its core, but not in
// pauses.
Result<LoadReport> MeasureLoad(const LoadConfig& config, const Calibration& calibration,
                               const Progress& progress);

}  // namespace tare::load
