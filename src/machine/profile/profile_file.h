// profile_file.h: reading and writing profiles in a stable, versioned file format.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/profile/machine_profile.h"

namespace tare::machine_profile {

// docs/formats/machine-profile.md specifies it.
inline constexpr int kProfileFormat = 1;
inline constexpr std::string_view kProfileKind = "tare machine profile";

// JSON in UTF-8 with fields in a fixed order and one line per point of a curve. Equal profiles
// produce equal bytes. Bytes that are not UTF-8 are written as \xNN.
std::string FormatProfile(const Profile& profile);

// The inverse. Rejects (kFormat) anything that is not a profile, other versions, and impossible
// numbers, with their location.
Result<Profile> ParseProfile(std::string_view text);

// Error messages start with the path.
Result<Profile> ReadProfile(const std::filesystem::path& path);

// Replaces the file atomically; creates a missing directory. Rejects a profile that ParseProfile
// would reject.
Result<void> WriteProfile(const std::filesystem::path& path, const Profile& profile);

}  // namespace tare::machine_profile
