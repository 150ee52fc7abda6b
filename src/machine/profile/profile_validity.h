// profile_validity.h: rejecting profiles that no machine can have.
#pragma once

#include "base/result.h"
#include "machine/profile/machine_profile.h"

namespace tare::machine_profile {

// More levels than any machine has; models try all subsets of them.
inline constexpr std::size_t kMaxLevels = 8;

// The required name of the last level.
inline constexpr std::string_view kMemory = "memory";

// Rejects (kFormat) a profile with impossible numbers and names their location: "levels[1].ways: 3
// ways do not divide its 512 lines".
Result<void> RequirePossible(const Profile& profile);

}  // namespace tare::machine_profile
