// private_directory.cc: creates temporary directories with mkdtemp(3) and removes them.
#include "base/private_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/printable.h"

namespace tare {
namespace {

// A write to a mapped file that the file system has no room for raises SIGBUS (mmap(2)). Containers
// often make /dev/shm small, so it is used only if it has this much free space.
constexpr std::uintmax_t kEnough = std::uintmax_t{1} << 30;

// What the smallest measurement writes there; with less, stores to mapped files raise SIGBUS.
constexpr std::uintmax_t kNeeded = std::uintmax_t{16} << 20;

// The sticky bit marks a directory as ours: on a directory that nobody else can write to, it has no
// effect, and nobody sets it there by hand.
constexpr unsigned kMode = 01700;
constexpr time_t kOldEnough = 60;  // seconds

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
  static std::once_flag once;
  std::call_once(once, [] {
    RemoveAbandoned("/dev/shm");
    RemoveAbandoned(TemporaryFiles());
  });
  std::string name = (parent / "tare-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    return std::unexpected(SystemError("create a directory in", parent, errno));
  }
  auto lock = LockDirectory(name);
  (void)::chmod(name.c_str(), kMode);
  PrivateDirectory made(name, std::move(lock));
  if (const auto free = FreeBytes(parent); free < kNeeded) {
    return Fail(ErrorKind::kIo,
                fmt::format("no room in {}: {} KiB are free, {} KiB are needed; TMPDIR can name "
                            "another directory",
                            Printable(parent.string()), free >> 10, kNeeded >> 10));
  }
  return made;
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

Descriptor LockDirectory(const std::filesystem::path& directory) {
  auto lock = Descriptor::AboveStandard(
      ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (lock.IsOpen() && ::flock(lock.Number(), LOCK_EX | LOCK_NB) != 0) return Descriptor();
  return lock;
}

bool IsAbandoned(const std::filesystem::path& directory, unsigned mode, time_t now) {
  const auto lock = LockDirectory(directory);
  struct stat status{};
  if (!lock.IsOpen() || ::fstat(lock.Number(), &status) != 0) return false;
  return status.st_uid == ::geteuid() && (status.st_mode & 07777) == mode &&
         now - status.st_ctim.tv_sec > kOldEnough;
}

void RemoveAbandoned(const std::filesystem::path& parent, time_t now) {
  constexpr std::string_view kBegin = "tare-";
  constexpr std::size_t kNameBytes = kBegin.size() + 6;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.size() != kNameBytes || !name.starts_with(kBegin)) continue;
    if (!IsAbandoned(entry->path(), kMode, now)) continue;
    std::error_code ignored;
    std::filesystem::remove_all(entry->path(), ignored);
  }
}

}  // namespace tare
