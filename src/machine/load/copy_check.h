// copy_check.h: several counting processes on one core, each of which should see the others.
#pragma once

#include <span>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "machine/load/calibration.h"
#include "machine/load/load_estimate.h"

namespace tare::load {

struct CopyCheck {
  unsigned core;
  std::vector<LoadWindow> copies;  // what each copy saw; alone with the others: their number
  // Counts per second of all copies together. On an idle core that is its rate, so the sum is a
  // calibration, too (Lilja, exercise 13 b).
  Measured together;
};

// The same from slices that were counted: the copies of a core one after another, `copies` each.
Result<std::vector<CopyCheck>> CheckCopies(std::span<const CoreCounts> counts, unsigned copies,
                                           std::span<const CoreRate> calibrated, double confidence);

// Counts with `copies` threads, 2 to 16, on each of these cores at once, for 20 blocks.
Result<std::vector<CopyCheck>> CountCopies(const CalibrationConfig& config, unsigned copies,
                                           std::span<const CoreRate> calibrated, double confidence,
                                           const Progress& progress);

}  // namespace tare::load
