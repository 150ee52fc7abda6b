// far_walk.h: how much longer page walks take in large working sets.
#pragma once

#include <optional>

#include "machine/profile/machine_profile.h"
#include "predict/convolve/machine_rates.h"
#include "predict/signature/cache_hits.h"

namespace tare::convolve {

// From the chain of loads in memory: what it takes longer than latency and TLB misses together, and
// the number of pages at which half of that is reached.
std::optional<FarWalk> FarWalkOf(const machine_profile::Profile& profile,
                                 const signature::Hierarchy& hierarchy);

}  // namespace tare::convolve
