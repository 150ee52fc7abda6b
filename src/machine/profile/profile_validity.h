// profile_validity.h: what no machine can be.
#pragma once

#include "base/result.h"
#include "machine/profile/machine_profile.h"

namespace tare::machine_profile {

// More levels than any machine has; models try all their subsets.
inline constexpr std::size_t kMaxLevels = 8;

// The name that the last level must have.
inline constexpr std::string_view kMemory = "memory";

// Refuses (kFormat) a profile with numbers that cannot be, and names their place:
// "levels[1].ways: 3 ways do not divide its 512 lines".
Result<void> RequirePossible(const Profile& profile);

}  // namespace tare::machine_profile
