// assemble.h: samples become a profile.
#pragma once

#include <span>
#include <vector>

#include "machine/profile/machine_profile.h"
#include "machine/survey/survey_state.h"

namespace tare::survey {

// Medians with intervals, hit rates and all; points without samples are left out.
std::vector<machine_profile::Curve> CurvesOf(std::span<const CurveSamples> samples,
                                             std::span<const machine_profile::Level> levels);

// Gives each level the bandwidth of loads and stores that the curves show well within it, and the
// lines that are on their way at once: latency times the rate of random loads (Little's law).
void FillBandwidths(std::vector<machine_profile::Level>& levels,
                    std::span<const machine_profile::Curve> curves, unsigned widest_vector);

}  // namespace tare::survey
