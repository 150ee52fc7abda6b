// profile_identity.h: whether a profile is of the machine that it is used for.
#pragma once

#include <string_view>

#include "base/result.h"
#include "machine/profile/machine_profile.h"

namespace tare::machine_profile {

// `machine` and `model` are those of this machine, as host::MachineName and Identity::model give
// them. Refuses a profile that was not measured, or on another machine.
Result<void> RequireThisMachine(const Profile& profile, std::string_view machine,
                                std::string_view model);

}  // namespace tare::machine_profile
