// profile_edit.h: setting single fields of a profile by hand.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "machine/profile/machine_profile.h"

namespace tare::machine_profile {

// Each assignment is FIELD=VALUE, applied in order:
//   name, machine, model, architecture, source, time   text
//   topology.packages|cores|threads|numa_nodes|memory  a number; memory as "16GiB"
//   conditions.KEY                                     text; empty removes it
//   LEVEL.bytes|ways|line|latency|load|store|bandwidth|parallel   as in level_field.h
//   rate.NAME                                          a number in its present unit
// The origin of a changed figure becomes kGiven; curves stay unchanged. Rejects unknown fields
// (suggesting the nearest name) and an impossible profile.
Result<Profile> Edit(const Profile& profile, std::span<const std::string> assignments);

}  // namespace tare::machine_profile
