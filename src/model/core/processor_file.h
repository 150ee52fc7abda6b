// processor_file.h: descriptions of processors, as files and by name.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/profile/machine_profile.h"
#include "model/core/processor.h"

namespace tare::model {

// A description as TOML (docs/formats/processor.md), valid. `origin` stands before line and column
// in messages, which are of kind kFormat.
Result<Processor> ParseProcessor(std::string_view toml, std::string_view origin);

// The same of a file.
Result<Processor> ReadProcessor(const std::filesystem::path& path);

// What a machine profile knows: caches, lines, ways, translations. All else is assumed, and said in
// Processor::assumed. kUsage for a profile without caches.
Result<Processor> FromProfile(const machine_profile::Profile& profile);

struct NamedProcessor {
  std::string name;  // of the file, without .toml
  std::filesystem::path path;
};

// All *.toml of the directories, by directory and then by name. A directory that does not exist is
// empty; a name that an earlier directory has is left out.
std::vector<NamedProcessor> ListProcessors(std::span<const std::filesystem::path> directories);

// A word with a '/' or one that ends in ".toml" or ".json" is a path: of a description, or of a
// machine profile when it ends in ".json". Every other word is the name of a description, and then
// of a machine profile. The message for an unknown name offers the nearest.
Result<Processor> FindProcessor(std::string_view word,
                                std::span<const std::filesystem::path> processor_directories,
                                std::span<const std::filesystem::path> profile_directories);

}  // namespace tare::model
