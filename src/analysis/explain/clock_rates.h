// clock_rates.h: derives the processor's frequency from cycles and time.
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
  std::size_t programs = 0;         // with cycles and seconds
  std::optional<Measured> mhz;      // mean over the programs; the interval requires two
  std::optional<double> deviation;  // standard deviation over the programs
  std::optional<double> stated;     // MHz stated in the files
  std::optional<double> error;      // of the mean relative to `stated`, in percent
  std::string absence;              // why there is no mean
};

// derived - stated| / stated, in percent.
double ClockError(double stated, double derived);

// A row for each machine with cycles, or with seconds but no cycles. Empty if no file has cycles.
std::vector<ClockRow> ClockRows(std::span<const Program> programs, double confidence);

}  // namespace tare::explain
