// file.cc: reads and atomic writes through system calls, so that every failure is detected.
#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "base/printable.h"
#include "base/special_file.h"
#include "base/stop.h"
#include "base/write_signals.h"

namespace tare {
namespace {

bool WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// The directory entry must reach the disk too, or a power failure can undo the rename (fsync(2)).
// Not every file system allows this; an error is ignored because the file itself is already synced.
void SyncDirectory(const std::filesystem::path& directory) {
  const Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.IsOpen()) ::fsync(opened.Number());
}

Result<void> WriteInPlace(const std::filesystem::path& path, std::string_view bytes) {
  TRY(Descriptor file, OpenInPlace(path));
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.Number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EAGAIN) {
      TRY_VOID(WaitForRoom(file.Number()));
    } else if (written < 0 && errno != EINTR) {
      return std::unexpected(SystemError("write", path, errno));
    }
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  if (file.Close() != 0) return std::unexpected(SystemError("write", path, errno));
  return {};
}

// A symbolic link that another user made where others can create files, such as /tmp: writing
// through it would write where that user wants.
bool IsPlanted(const std::filesystem::path& path) {
  struct stat link{};
  if (::lstat(path.c_str(), &link) != 0 || !S_ISLNK(link.st_mode)) return false;
  if (link.st_uid == ::geteuid() || link.st_uid == 0) return false;
  const auto parent = path.has_parent_path() ? path.parent_path() : ".";
  struct stat directory{};
  return ::stat(parent.c_str(), &directory) != 0 || (directory.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

// Waits until a pipe or device has bytes or ends. SA_RESTART resumes a read that waits, so that the
// user could not stop it; poll(2) is never resumed.
Result<void> WaitForInput(int descriptor) {
  pollfd input{.fd = descriptor, .events = POLLIN, .revents = 0};
  while (::poll(&input, 1, 100) <= 0) {
    if (IsStopAsked()) return Stopped();
  }
  return {};
}

}  // namespace

Error SystemError(std::string_view verb, const std::filesystem::path& path, int error_number) {
  return {ErrorKind::kIo, fmt::format("cannot {} {}: {}", verb, Printable(path.string()),
                                      std::generic_category().message(error_number))};
}

Error InFile(const std::filesystem::path& path, Error error) {
  error.message = fmt::format("{}: {}", Printable(path.string()), error.message);
  return error;
}

Result<std::string> ReadFile(const std::filesystem::path& path, std::uint64_t max_bytes) {
  // A named pipe without a writer opens at once with O_NONBLOCK (fifo(7)).
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file.IsOpen()) return std::unexpected(SystemError("read", path, errno));
  // The size is a hint: files of /proc claim 0, and a file may grow. One more byte finds its end.
  struct stat status{};
  const bool known = ::fstat(file.Number(), &status) == 0;
  const bool sized = known && S_ISREG(status.st_mode);
  const bool waits = known && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
  const auto size = sized ? static_cast<std::uint64_t>(status.st_size) : 0;
  constexpr std::size_t kMinRoom = 1 << 16;
  std::size_t room = static_cast<std::size_t>(std::min(size, max_bytes)) + 1;
  std::string bytes;
  while (true) {
    if (waits) TRY_VOID(WaitForInput(file.Number()));
    const std::size_t old = bytes.size();
    ssize_t got = 0;
    bytes.resize_and_overwrite(old + room, [&](char* text, std::size_t) {
      got = ::read(file.Number(), text + old, room);
      return old + static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    });
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return std::unexpected(SystemError("read", path, errno));
    if (got == 0) return bytes;
    if (bytes.size() > max_bytes) {
      return Fail(ErrorKind::kFormat, fmt::format("{} is larger than the limit of {} bytes",
                                                  Printable(path.string()), max_bytes));
    }
    room = std::max({kMinRoom, bytes.capacity() - bytes.size(), bytes.size() / 2});
    if (bytes.size() == size) room = 1;
  }
}

Result<void> WriteFileAtomically(const std::filesystem::path& path, std::string_view bytes) {
  const bool planted = IsPlanted(path);
  struct stat present{};
  const bool exists = !planted && ::stat(path.c_str(), &present) == 0;
  if (exists && !S_ISREG(present.st_mode) && !S_ISDIR(present.st_mode)) {
    const WithoutWriteSignals errors_only;
    return WriteInPlace(path, bytes);
  }

  // Resolves symbolic links, so that the target file is replaced and not the link, unless somebody
  // else made the link.
  std::error_code ignored;
  auto target = planted ? path : std::filesystem::weakly_canonical(path, ignored);
  if (ignored) target = path;
  const auto directory = target.has_parent_path() ? target.parent_path() : ".";
  std::string temporary = (directory / ".tare-XXXXXX").string();
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.IsOpen()) return std::unexpected(SystemError("write", path, errno));
  const WithoutWriteSignals errors_only;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = exists ? (present.st_mode & 07777) : (0666 & ~mask);
  if (!WriteAll(file.Number(), bytes) || ::fchmod(file.Number(), mode) != 0 ||
      ::fsync(file.Number()) != 0 || file.Close() != 0 ||
      ::rename(temporary.c_str(), target.c_str()) != 0) {
    const int error_number = errno;
    ::unlink(temporary.c_str());
    return std::unexpected(SystemError("write", path, error_number));
  }
  SyncDirectory(directory);
  return {};
}

}  // namespace tare
