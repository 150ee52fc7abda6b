// profile_file.h: a profile as a file that outlives this version of the program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/profile/machine_profile.h"

namespace tare::machine_profile {

// docs/formats/machine-profile.md describes it.
inline constexpr int kProfileFormat = 1;
inline constexpr std::string_view kProfileKind = "tare machine profile";

// JSON in UTF-8, fields in a fixed order, a point of a curve to a line. The same profile gives the
// same bytes. Bytes that are not UTF-8 are written as \xNN.
std::string FormatProfile(const Profile& profile);

// The inverse. Refuses (kFormat) what is not a profile, other versions, and numbers that cannot be,
// with the place at which they stand.
Result<Profile> ParseProfile(std::string_view text);

// Messages start with the path.
Result<Profile> ReadProfile(const std::filesystem::path& path);

// Replaces the file at once; makes its directory where it is missing. Refuses a profile that
// ParseProfile would refuse.
Result<void> WriteProfile(const std::filesystem::path& path, const Profile& profile);

}  // namespace tare::machine_profile
