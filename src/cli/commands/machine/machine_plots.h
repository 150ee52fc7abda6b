// machine_plots.h: plots of the curves of a machine profile.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/profile/machine_profile.h"
#include "report/document.h"

namespace tare::cli {

// The cache sizes: "L1 64 KiB".
std::vector<report::Mark> CacheMarks(const machine_profile::Profile& profile);

// The main plot of a machine: bytes per second of sequential and random loads and stores.
report::Series BandwidthPlot(const machine_profile::Profile& profile);

// Seconds per load of a chain of dependent loads.
report::Series LatencyPlot(const machine_profile::Profile& profile);

// Bytes per second of the curves, one plot for each access and element.
std::vector<report::Series> CurvePlots(const machine_profile::Profile& profile,
                                       std::span<const machine_profile::Curve* const> curves);

std::vector<report::Series> GraphPlots(const machine_profile::Profile& profile);

// The curves whose names contain all words of one of `wishes`: "random", "store stride 1"; "all"
// selects every curve. A wish without a match is an error with the nearest name.
Result<std::vector<const machine_profile::Curve*>> ChooseCurves(
    const machine_profile::Profile& profile, std::span<const std::string> wishes);

}  // namespace tare::cli
