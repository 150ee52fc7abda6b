// calibration.h: how fast a core counts when nothing else runs on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/progress.h"
#include "base/result.h"
#include "machine/load/counting_process.h"
#include "stats/interval.h"

namespace tare::load {

// Counts per second of one core, per block.
struct CoreRate {
  unsigned core;
  std::vector<double> blocks;  // 2 or more, positive
};

// Mean rate with Student's interval.
Result<Measured> MeanRate(const CoreRate& rate, double confidence);

// The prediction interval of one more block on the idle core. It is wider than the interval of the
// mean, because a single block varies even when the mean is well known.
Result<Measured> NextBlockRate(const CoreRate& rate, double confidence);

struct Calibration {
  std::string machine;
  std::string kernel;
  std::string time;  // ISO 8601, UTC
  std::string loop;
  double block_seconds;
  std::vector<CoreRate> cores;
};

struct CalibrationConfig {
  std::vector<unsigned> cores;
  double block_seconds = 0.2;
  unsigned blocks = 10;     // undisturbed blocks wanted per core, 2 or more
  unsigned max_rounds = 3;  // of that many blocks, until all cores have enough
};

struct CoreCalibration {
  CoreRate rate;
  double own_share;       // CPU time over wall time, all blocks
  unsigned quiet_blocks;  // in which the counter had the core to itself
  unsigned blocks;
  double steal_share;   // of wall time, from /proc/stat; 0 where it reports none
  double disagreement;  // rate per wall second over rate per own CPU second, minus 1
  std::vector<Caveat> caveats;
};

// A block is undisturbed when the counter ran for at least 99 % of it. A core with fewer than
// `blocks_wanted` undisturbed blocks was calibrated under load: its rate is then per second of own
// CPU time, and the caveat refuses it.
Result<CoreCalibration> CalibrateFrom(const CoreCounts& counts, unsigned blocks_wanted);

// Counts on all cores at once, as Lilja's procedure does on an idle machine.
Result<std::vector<CoreCalibration>> Calibrate(const CalibrationConfig& config,
                                               const Progress& progress);

}  // namespace tare::load
