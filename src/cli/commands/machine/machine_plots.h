// machine_plots.h: the curves of a machine profile as pictures.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/profile/machine_profile.h"
#include "report/document.h"

namespace tare::cli {

// Where the caches end: "L1 64 KiB".
std::vector<report::Mark> CacheMarks(const machine_profile::Profile& profile);

// The picture of a machine: bytes per second of loads and stores one after another and at random.
report::Series BandwidthPlot(const machine_profile::Profile& profile);

// Seconds of one load that waits for the one before it.
report::Series LatencyPlot(const machine_profile::Profile& profile);

// Bytes per second of the curves, one picture for each access and element.
std::vector<report::Series> CurvePlots(const machine_profile::Profile& profile,
                                       std::span<const machine_profile::Curve* const> curves);

std::vector<report::Series> GraphPlots(const machine_profile::Profile& profile);

// The curves whose names have all the words of one of `wishes`: "random", "store stride 1"; all of
// them for "all". A wish that names none is refused with the nearest name.
Result<std::vector<const machine_profile::Curve*>> ChooseCurves(
    const machine_profile::Profile& profile, std::span<const std::string> wishes);

}  // namespace tare::cli
