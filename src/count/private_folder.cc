// private_folder.cc: mkdtemp and its opposite.
#include "count/private_folder.h"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <vector>

#include "base/file.h"

namespace tare::count {

namespace {

// A mapped file that finds no room kills whoever writes to it: a full /dev/shm, which containers
// like to make small, must not be met.
constexpr std::uintmax_t kEnough = std::uintmax_t{1} << 30;

std::uintmax_t FreeBytes(const std::filesystem::path& folder) {
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  return error ? 0 : space.available;
}

}  // namespace

Result<PrivateFolder> PrivateFolder::Make() {
  std::error_code error;
  const auto temporary = std::filesystem::temp_directory_path(error);
  std::vector<std::filesystem::path> parents = {"/dev/shm", error ? "/tmp" : temporary};
  if (FreeBytes(parents.front()) < kEnough &&
      FreeBytes(parents.back()) > FreeBytes(parents.front())) {
    std::ranges::reverse(parents);
  }
  for (const auto& parent : parents) {
    std::string name = (parent / "tare-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) return PrivateFolder(name);
  }
  return std::unexpected(SystemError("make a folder in", parents.back(), errno));
}

PrivateFolder::~PrivateFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tare::count
