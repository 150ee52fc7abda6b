// profile_catalogue.h: profiles by name, in the directories where they are kept.
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
  std::string reason = {};  // why there is none
};

// All *.json of the directories, by directory and then by name. A directory that does not exist is
// empty; a name that an earlier directory has is left out; a file that cannot be used is there with
// the reason.
std::vector<NamedProfile> List(std::span<const std::filesystem::path> directories);

// A word with a '/' or a '.json' at its end is a path, every other one a name in the directories.
bool IsPath(std::string_view name_or_path);

// Reads the profile. The message for an unknown name offers the nearest one.
Result<NamedProfile> Find(std::string_view name_or_path,
                          std::span<const std::filesystem::path> directories);

// Whether a profile can be kept under that name: letters, digits, '-', '_' and '.', and not a path.
Result<void> RequireName(std::string_view name);

}  // namespace tare::machine_profile
