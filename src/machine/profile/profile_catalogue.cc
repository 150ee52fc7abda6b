// profile_catalogue.cc: listing and finding profiles in directories.
#include "machine/profile/profile_catalogue.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/named_files.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "machine/profile/profile_file.h"

namespace tare::machine_profile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".json";

NamedProfile Read(const fs::path& path) {
  NamedProfile named{path.stem().string(), path, std::nullopt};
  auto profile = ReadProfile(path);
  if (profile) {
    named.profile = std::move(*profile);
  } else {
    named.reason = profile.error().message;
  }
  return named;
}

std::unexpected<Error> Unknown(std::string_view name, std::span<const fs::path> files) {
  std::vector<std::string> stems;
  for (const fs::path& path : files) stems.push_back(path.stem().string());
  const std::vector<std::string_view> names(stems.begin(), stems.end());
  std::error_code ignored;
  if (fs::exists(name, ignored)) {
    return Fail(ErrorKind::kUsage, fmt::format("there is no profile '{0}'; for the file of this "
                                               "name, write ./{0}",
                                               Printable(name)));
  }
  const std::string nearest = DidYouMean(name, names);
  return Fail(ErrorKind::kUsage,
              fmt::format("there is no profile '{}'{}", Printable(name),
                          nearest.empty() ? "; tare machine list shows the available ones"
                                          : Printable(nearest)));
}

}  // namespace

std::vector<NamedProfile> List(std::span<const fs::path> directories) {
  std::vector<NamedProfile> profiles;
  for (const fs::path& path : NamedFiles(directories, kEnding)) profiles.push_back(Read(path));
  return profiles;
}

bool IsPath(std::string_view name_or_path) {
  return name_or_path.find('/') != std::string_view::npos || name_or_path.ends_with(kEnding);
}

Result<NamedProfile> Find(std::string_view name_or_path, std::span<const fs::path> directories) {
  if (IsPath(name_or_path)) {
    const fs::path path(name_or_path);
    TRY(auto profile, ReadProfile(path));
    return NamedProfile{path.stem().string(), path, std::move(profile)};
  }
  const auto files = NamedFiles(directories, kEnding);
  const auto found = std::ranges::find(files, name_or_path,
                                       [](const fs::path& path) { return path.stem().string(); });
  if (found == files.end()) return Unknown(name_or_path, files);
  TRY(auto profile, ReadProfile(*found));
  return NamedProfile{found->stem().string(), *found, std::move(profile)};
}

Result<void> RequireName(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  constexpr std::size_t kLongest = 100;
  if (!name.empty() && name.size() <= kLongest && name.front() != '.' && name.front() != '-' &&
      std::ranges::all_of(name, fits) && !IsPath(name)) {
    return {};
  }
  return Fail(
      ErrorKind::kUsage,
      fmt::format("'{}' is not a valid profile name: use letters, digits, '-', '_' and '.', "
                  "at most {} characters",
                  Printable(name), kLongest));
}

}  // namespace tare::machine_profile
