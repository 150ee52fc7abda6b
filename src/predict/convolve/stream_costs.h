// stream_costs.h: what lines of several streams cost, loaded and stored.
#pragma once

#include <string_view>

#include "machine/profile/machine_profile.h"
#include "predict/convolve/level_costs.h"

namespace tare::convolve {

// Sets `streams` and `filled` from `stream`, `write` and the profile's rates of copy and triad in
// the level.
void SetStreams(const machine_profile::Profile& profile, std::string_view level, LevelCosts& costs);

}  // namespace tare::convolve
