// load_measurement.h: the load of some cores over some time.
#pragma once

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
  double every = 1;             // seconds; from 50 ms on
  double duration = 10;         // seconds; at least `every`
  double confidence = 0.95;
};

struct CoreLoad {
  LoadWindow whole;  // over the whole duration
  double steal_share;
  std::vector<Caveat> caveats;  // those of `whole` among them
};

struct LoadReport {
  double started;                   // seconds since 1970
  std::vector<LoadWindow> windows;  // by time, then by core
  std::vector<CoreLoad> cores;      // as asked for
  std::vector<Caveat> caveats;      // of the report as a whole
};

// Counts on all the cores at once. Each counter is itself a busy process on its core.
Result<LoadReport> MeasureLoad(const LoadConfig& config, const Calibration& calibration,
                               const Progress& progress);

}  // namespace tare::load
