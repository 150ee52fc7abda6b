// profile_identity.h: whether a profile belongs to this machine.
#pragma once

#include <string_view>

#include "base/result.h"
#include "machine/profile/machine_profile.h"

namespace tare::machine_profile {

// `machine` and `model` are those of this machine, from host::MachineName and Identity::model.
// Rejects a profile that was not measured or was measured on another machine.
Result<void> RequireThisMachine(const Profile& profile, std::string_view machine,
                                std::string_view model);

}  // namespace tare::machine_profile
