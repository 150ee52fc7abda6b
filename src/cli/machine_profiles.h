// machine_profiles.h: where profiles are stored, and which one a word on the command line names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/profile/machine_profile.h"
#include "machine/profile/profile_catalogue.h"

namespace tare::cli {

// The directory for profiles made here (if there is a home directory), then those shipped with the
// program: next to it in the build tree, otherwise where it was installed.
std::vector<std::filesystem::path> ProfileDirectories();

// Processor descriptions: next to the user's profiles, and those shipped with the program.
std::vector<std::filesystem::path> ProcessorDirectories();

// Candidate directories of shipped profiles for a program at `executable`, existing or not.
std::vector<std::filesystem::path> ShippedDirectories(const std::filesystem::path& executable);

// Where a profile of that name is stored.
Result<std::filesystem::path> StoredProfilePath(const std::string& name);

// The name of this machine's profile, from the machine's name.
std::string ThisMachinesProfileName();

// The profile that `word` names. An empty word names the newest profile measured on this machine;
// if there is none, the error says how to make it.
Result<machine_profile::Profile> ProfileOf(const std::string& word);

// Stores a profile in `file`, or under `name`, or nowhere. Returns a sentence about it.
Result<std::string> StoreProfile(const machine_profile::Profile& profile, const std::string& file,
                                 const std::string& name);

}  // namespace tare::cli
