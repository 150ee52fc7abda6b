// clock_rates.h: the processor's frequency from its cycles and the time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/explain/observations.h"
#include "stats/interval.h"

namespace tare::explain {

struct ClockRow {
  std::string machine;
  std::size_t programs = 0;            // that have cycles and seconds
  std::optional<stats::Estimate> mhz;  // mean over the programs; the interval needs two
  std::optional<double> deviation;     // standard deviation over the programs
  std::optional<double> stated;        // MHz that the files state
  std::optional<double> error;         // of the mean against it, in per cent
  std::string absence;                 // why there is no mean
};

// |derived - stated| / stated in per cent.
double ClockError(double stated, double derived);

// A row per machine that has cycles, or seconds and no cycles. Empty where no file speaks of
// cycles.
std::vector<ClockRow> ClockRows(std::span<const Program> programs, double confidence);

}  // namespace tare::explain
