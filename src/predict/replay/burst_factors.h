// burst_factors.h: how the times of single bursts change on another processor, from the counters
// that they have.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "format/mpi_trace.h"

namespace tare::replay {

// Seconds that one increment of each slot of a module is worth.
struct ModulePrices {
  std::vector<double> recorded;  // on the machine of the recording
  std::vector<double> target;
};

struct BurstFactors {
  // By rank and event: what the burst before the event takes, relative to what it would take if the
  // whole program had one ratio. A rank without any is empty.
  std::vector<std::vector<double>> factors;
  double counted = 0;    // seconds of bursts whose counters are known
  double uncounted = 0;  // of others, whose factor is 1
  double slowest = 0;    // the ratios of single bursts that make up the middle 90 % of the time
  double fastest = 0;
};

// `modules` are by path. `ratio` is how many times as fast the target runs the whole program. A
// burst without counters has those of the next one of its thread, which count since the last ones.
BurstFactors FactorsOf(const format::MpiTrace& trace,
                       const std::map<std::string, ModulePrices>& modules, double ratio);

}  // namespace tare::replay
