// directory_path.cc: builds a path of a given length from nested directories.
#include "measure/run/directory_path.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/private_directory.h"

namespace tare::run {
namespace {

// A program that changes its uid must still be able to resolve the path. The sticky bit marks the
// directory as ours.
constexpr unsigned kRootMode = 01711;

// The directories stay empty, so they are in memory: to remove one, ext4 that is mounted with
// "discard" waits for the device. TMPDIR, or a path that is too short for it, has them among
// temporary files.
std::filesystem::path ParentFor(std::size_t bytes) {
  constexpr std::string_view kMemory = "/dev/shm";
  constexpr std::size_t kMinBytes = kMemory.size() + std::string_view("/tare-XXXXXX/d").size();
  const bool named = std::getenv("TMPDIR") != nullptr;
  if (!named && bytes >= kMinBytes && ::access(kMemory.data(), W_OK | X_OK) == 0) return kMemory;
  std::error_code failed;
  const auto temporary = std::filesystem::temp_directory_path(failed);
  return failed ? "/tmp" : temporary;
}

// A program's work may depend on the characters of its working directory, so the path is the same
// in every run unless two runs overlap. `path` ends in six characters for the number. A directory
// that a killed run left is removed. Returns 0 or an error number.
int TakeFirstFree(std::string& path) {
  for (int number = 0; number < 1'000'000; ++number) {
    path.replace(path.size() - 6, 6, fmt::format("{:06}", number));
    if (IsAbandoned(path, kRootMode)) {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
    if (::mkdir(path.c_str(), 0700) == 0) return 0;
    if (errno != EEXIST) return errno;
  }
  return EEXIST;
}

// The last name is short, so that renaming the one before can change the length of the path while
// something is mounted on the directory.
constexpr std::string_view kLastName = "/d";

// The length of the name before the last, if one is enough for the path.
std::optional<std::size_t> NameBytes(std::size_t root, std::size_t bytes) {
  const std::size_t others = root + 1 + kLastName.size();
  if (bytes <= others || bytes - others > NAME_MAX) return std::nullopt;
  return bytes - others;
}

std::string PathOf(const std::string& root, std::size_t name) {
  return root + "/" + std::string(name, 'd');
}

}  // namespace

Result<DirectoryPath> DirectoryPath::Make(std::size_t bytes) {
  std::string root = (ParentFor(bytes) / "tare-XXXXXX").string();
  const std::size_t least = root.size() + 2;
  if (bytes < least || bytes >= PATH_MAX) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("the path of the working directory can have {} to {} bytes here, not {}", least,
                    PATH_MAX - 1, bytes));
  }
  if (const int refused = TakeFirstFree(root)) {
    return std::unexpected(SystemError("make", root, refused));
  }
  DirectoryPath created;
  created.root_ = root;
  created.owner_ = ::getpid();
  created.path_ = root;
  created.lock_ = LockDirectory(root);
  if (::chmod(root.c_str(), kRootMode) != 0)
    return std::unexpected(SystemError("open", root, errno));
  if (const auto name = NameBytes(root.size(), bytes)) {
    created.path_ = PathOf(root, *name);
    if (::mkdir(created.path_.c_str(), 0711) != 0) {
      return std::unexpected(SystemError("make", created.path_, errno));
    }
  }
  while (created.path_.size() < bytes) {
    const std::size_t left = bytes - created.path_.size();
    // Leaves no remainder of one byte, which could only be a slash.
    const std::size_t name =
        std::min<std::size_t>(left - 1, left == NAME_MAX + 2 ? NAME_MAX - 1 : NAME_MAX);
    created.path_ += "/" + std::string(name, 'd');
    if (::mkdir(created.path_.c_str(), 0711) != 0) {
      return std::unexpected(SystemError("make", created.path_, errno));
    }
  }
  return created;
}

bool DirectoryPath::Resize(std::size_t bytes) {
  if (owner_ != ::getpid()) return false;
  if (bytes == path_.size()) return true;
  const auto before = NameBytes(root_.size(), path_.size());
  const auto after = NameBytes(root_.size(), bytes);
  if (!before || !after) return false;
  const std::string name = PathOf(root_, *after);
  if (::rename(PathOf(root_, *before).c_str(), name.c_str()) != 0) return false;
  path_ = name + std::string(kLastName);
  return true;
}

DirectoryPath::~DirectoryPath() {
  if (root_.empty() || owner_ != ::getpid()) return;
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

}  // namespace tare::run
