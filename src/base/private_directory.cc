// private_directory.cc: creates temporary directories with mkdtemp(3) and removes them.
#include "base/private_directory.h"

#include <stdlib.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "base/file.h"

namespace tare {
namespace {

// A write to a mapped file that the file system has no room for raises SIGBUS (mmap(2)). Containers
// often make /dev/shm small, so it is used only if it has this much free space.
constexpr std::uintmax_t kEnough = std::uintmax_t{1} << 30;

std::uintmax_t FreeBytes(const std::filesystem::path& directory) {
  std::error_code error;
  const auto space = std::filesystem::space(directory, error);
  return error ? 0 : space.available;
}

std::filesystem::path TemporaryFiles() {
  std::error_code error;
  const auto temporary = std::filesystem::temp_directory_path(error);
  return error ? "/tmp" : temporary;
}

}  // namespace

Result<PrivateDirectory> PrivateDirectory::MakeIn(const std::filesystem::path& parent) {
  std::string name = (parent / "tare-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) return PrivateDirectory(name);
  return std::unexpected(SystemError("create a directory in", parent, errno));
}

Result<PrivateDirectory> PrivateDirectory::MakeOnDisk() { return MakeIn(TemporaryFiles()); }

Result<PrivateDirectory> PrivateDirectory::Make() {
  std::filesystem::path first = "/dev/shm";
  std::filesystem::path second = TemporaryFiles();
  if (FreeBytes(first) < kEnough && FreeBytes(second) > FreeBytes(first)) std::swap(first, second);
  auto made = MakeIn(first);
  return made ? std::move(made) : MakeIn(second);
}

PrivateDirectory::~PrivateDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tare
