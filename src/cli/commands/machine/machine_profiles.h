// machine_profiles.h: where profiles are kept, and which one a word on the command line names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/profile/machine_profile.h"
#include "machine/profile/profile_catalogue.h"

namespace tare::cli {

// The directory for profiles made here, and those that came with the program: beside it when it was
// just built, otherwise where it was installed. Without a home there is no first one.
std::vector<std::filesystem::path> ProfileDirectories();

// Where shipped profiles lie for a program at `executable`; several places, existing or not.
std::vector<std::filesystem::path> ShippedDirectories(const std::filesystem::path& executable);

// Where a profile of that name is kept.
Result<std::filesystem::path> KeptPath(const std::string& name);

// The name of a profile of this machine, from the machine's own.
std::string ThisMachinesProfileName();

// The profile that `word` names; for an empty word the newest one that was measured on this
// machine, and when there is none, how to make it.
Result<machine_profile::Profile> ProfileOf(const std::string& word);

// Where a profile that a command made goes: to `file`, or under `name`, or nowhere. Returns what
// there is to say about it.
Result<std::string> StoreProfile(const machine_profile::Profile& profile, const std::string& file,
                                 const std::string& name);

}  // namespace tare::cli
