// assemble.h: turning samples into a profile.
#pragma once

#include <span>
#include <vector>

#include "machine/profile/machine_profile.h"
#include "machine/survey/survey_state.h"

namespace tare::survey {

// Medians with intervals and hit rates; points without samples are omitted.
std::vector<machine_profile::Curve> CurvesOf(std::span<const CurveSamples> samples,
                                             std::span<const machine_profile::Level> levels);

// Sets the load and store bandwidth of each level, from curve points well within it, and the number
// of lines in flight: latency times the rate of random loads (Little's law).
void FillBandwidths(std::vector<machine_profile::Level>& levels,
                    std::span<const machine_profile::Curve> curves, unsigned widest_vector);

}  // namespace tare::survey
