// profile_catalogue.h: profiles by name, in the directories that contain them.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/profile/machine_profile.h"

namespace tare::machine_profile {

struct NamedProfile {
  std::string name;  // of the file, without .json
  std::filesystem::path path;
  std::optional<Profile> profile;
  std::string reason = {};  // why it could not be read
};

// All *.json files of the directories, by directory and then by name. A missing directory counts as
// empty. A name that an earlier directory has is omitted. An unusable file is listed with the
// reason.
std::vector<NamedProfile> List(std::span<const std::filesystem::path> directories);

// A word that contains '/' or ends in '.json' is a path; any other word is a name in the
// directories.
bool IsPath(std::string_view name_or_path);

// Reads the profile. The error for an unknown name suggests the nearest one.
Result<NamedProfile> Find(std::string_view name_or_path,
                          std::span<const std::filesystem::path> directories);

// Whether the name is valid for a profile: letters, digits, '-', '_' and '.', and not a path.
Result<void> RequireName(std::string_view name);

}  // namespace tare::machine_profile
