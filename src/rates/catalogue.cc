// catalogue.cc: files of folders as profiles with names.
#include "rates/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "base/near_match.h"
#include "base/printable.h"
#include "rates/profile_file.h"

namespace tare::rates {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".json";

// By name; what cannot be listed has no files.
std::vector<fs::path> FilesOf(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() != kEnding || path.filename().string().starts_with('.')) continue;
    std::error_code unknown;
    if (entry->is_directory(unknown)) continue;
    files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

// Files by name, those of earlier folders first.
std::vector<fs::path> FilesOf(std::span<const fs::path> folders) {
  std::vector<fs::path> files;
  std::set<std::string> names;
  for (const fs::path& folder : folders) {
    for (fs::path& path : FilesOf(folder)) {
      if (names.insert(path.stem().string()).second) files.push_back(std::move(path));
    }
  }
  return files;
}

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
  const std::string nearest = DidYouMean(name, names);
  return Fail(ErrorKind::kUsage,
              fmt::format("there is no profile '{}'{}", Printable(name),
                          nearest.empty() ? "; tare machine list shows those there are"
                                          : Printable(nearest)));
}

}  // namespace

std::vector<NamedProfile> List(std::span<const fs::path> folders) {
  std::vector<NamedProfile> profiles;
  for (const fs::path& path : FilesOf(folders)) profiles.push_back(Read(path));
  return profiles;
}

bool IsPath(std::string_view name_or_path) {
  return name_or_path.find('/') != std::string_view::npos || name_or_path.ends_with(kEnding);
}

Result<NamedProfile> Find(std::string_view name_or_path, std::span<const fs::path> folders) {
  if (IsPath(name_or_path)) {
    const fs::path path(name_or_path);
    TRY(auto profile, ReadProfile(path));
    return NamedProfile{path.stem().string(), path, std::move(profile)};
  }
  const auto files = FilesOf(folders);
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
  return Fail(ErrorKind::kUsage,
              fmt::format("'{}' cannot be the name of a profile: letters, digits, '-', '_' and '.' "
                          "can, up to {} of them",
                          Printable(name), kLongest));
}

}  // namespace tare::rates
