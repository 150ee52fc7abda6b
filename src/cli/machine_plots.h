// machine_plots.h: the curves of a machine profile as pictures.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "rates/profile.h"
#include "report/document.h"

namespace tare::cli {

// Where the caches end: "L1 64 KiB".
std::vector<report::Mark> CacheMarks(const rates::Profile& profile);

// The picture of a machine: bytes per second of loads and stores one after another and at random.
report::Series BandwidthPlot(const rates::Profile& profile);

// Seconds of one load that waits for the one before it.
report::Series LatencyPlot(const rates::Profile& profile);

// Bytes per second of the curves, one picture for each access and element.
std::vector<report::Series> CurvePlots(const rates::Profile& profile,
                                       std::span<const rates::Curve* const> curves);

std::vector<report::Series> GraphPlots(const rates::Profile& profile);

// The curves whose names have all the words of one of `wishes`: "random", "store stride 1"; all of
// them for "all". A wish that names none is refused with the nearest name.
Result<std::vector<const rates::Curve*>> ChooseCurves(const rates::Profile& profile,
                                                      std::span<const std::string> wishes);

}  // namespace tare::cli
