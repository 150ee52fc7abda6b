// processor_file.h: reads processor descriptions from files and finds them by name.
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

// Parses and validates a description in TOML (docs/formats/processor.md). Errors are kFormat and
// start with `origin`, the line and the column.
Result<Processor> ParseProcessor(std::string_view toml, std::string_view origin);

// The same for a file.
Result<Processor> ReadProcessor(const std::filesystem::path& path);

// Builds a description from a machine profile: caches, lines, ways, TLBs. Everything else is
// assumed and listed in Processor::assumed. Fails (kUsage) on a profile without caches.
Result<Processor> FromProfile(const machine_profile::Profile& profile);

struct NamedProcessor {
  std::string name;  // name of the file without .toml
  std::filesystem::path path;
};

// All *.toml files of the directories, ordered by directory and then by name. A missing directory
// counts as empty. A name that an earlier directory has is skipped.
std::vector<NamedProcessor> ListProcessors(std::span<const std::filesystem::path> directories);

// A word that contains a '/' or ends in ".toml" or ".json" is the path of a description or, with
// ".json", of a machine profile. Any other word is the name of a description or else of a machine
// profile. The message for an unknown name suggests the nearest one.
Result<Processor> FindProcessor(std::string_view word,
                                std::span<const std::filesystem::path> processor_directories,
                                std::span<const std::filesystem::path> profile_directories);

}  // namespace tare::model
