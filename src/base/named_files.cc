// named_files.cc: lists files by name; the first directory that has a name wins.
#include "base/named_files.h"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>

namespace tare {
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> FilesOf(const fs::path& directory, std::string_view ending) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() != ending || path.filename().string().starts_with('.')) continue;
    std::error_code unknown;
    if (entry->is_directory(unknown)) continue;
    files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<fs::path> NamedFiles(std::span<const fs::path> directories, std::string_view ending) {
  std::vector<fs::path> files;
  std::set<std::string> names;
  for (const fs::path& directory : directories) {
    for (fs::path& path : FilesOf(directory, ending)) {
      if (names.insert(path.stem().string()).second) files.push_back(std::move(path));
    }
  }
  return files;
}

}  // namespace tare
