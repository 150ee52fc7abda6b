// profile_identity.cc: rejecting profiles of other machines.
#include "machine/profile/profile_identity.h"

#include <fmt/format.h>

#include "base/printable.h"

namespace tare::machine_profile {

Result<void> RequireThisMachine(const Profile& profile, std::string_view machine,
                                std::string_view model) {
  const std::string name = Printable(profile.name);
  if (profile.origin != Origin::kMeasured) {
    return Fail(ErrorKind::kUsage,
                fmt::format("the profile '{}' is {}, not measured on this machine; create one "
                            "with tare machine measure",
                            name, Name(profile.origin)));
  }
  if (profile.machine == machine && profile.model == model) return {};
  const bool same_host = profile.machine == machine;
  return Fail(
      ErrorKind::kUsage,
      fmt::format("the profile '{}' is for the machine '{}', and this is '{}'; create one for "
                  "this machine with tare machine measure",
                  name, Printable(same_host ? profile.model : profile.machine),
                  Printable(same_host ? model : machine)));
}

}  // namespace tare::machine_profile
