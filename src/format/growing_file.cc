// growing_file.cc: file operations through system calls, so that every failure is detected.
#include "format/growing_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/special_file.h"
#include "base/write_signals.h"

namespace tare::format {
namespace {

// O_EXCL ensures that no existing file is opened. The process's umask applies.
Descriptor MakeBeside(const std::filesystem::path& directory, std::string& name) {
  for (int i = 0; i < 1000; ++i) {
    name = (directory / fmt::format(".tare-{}-{}", ::getpid(), i)).string();
    Descriptor file = Descriptor::AboveStandard(
        ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (file.IsOpen() || errno != EEXIST) return file;
  }
  return {};
}

void SyncDirectory(const std::filesystem::path& directory) {
  const Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.IsOpen()) ::fsync(opened.Number());
}

std::filesystem::path DirectoryOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

}  // namespace

Result<GrowingFile> GrowingFile::Create(const std::filesystem::path& path) {
  struct stat present{};
  const bool exists = ::stat(path.c_str(), &present) == 0;
  if (exists && S_ISDIR(present.st_mode)) {
    return std::unexpected(SystemError("write", path, EISDIR));
  }
  if (exists && !S_ISREG(present.st_mode)) {
    TRY(Descriptor file, OpenInPlace(path));
    return GrowingFile(std::move(file), path, true);
  }
  std::error_code ignored;
  auto target = std::filesystem::weakly_canonical(path, ignored);
  if (ignored) target = path;
  std::string temporary;
  Descriptor file = MakeBeside(DirectoryOf(target), temporary);
  if (!file.IsOpen()) return std::unexpected(SystemError("write", path, errno));
  GrowingFile made(std::move(file), std::move(target), false);
  made.temporary_ = std::move(temporary);
  if (exists && ::fchmod(made.file_.Number(), present.st_mode & 07777) != 0) {
    return made.CannotWrite();
  }
  return made;
}

GrowingFile::GrowingFile(GrowingFile&& other) noexcept
    : file_(std::move(other.file_)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      in_place_(other.in_place_),
      reserves_(other.reserves_),
      broken_(other.broken_),
      failure_(std::move(other.failure_)),
      bytes_(other.bytes_) {}

GrowingFile::~GrowingFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

std::unexpected<Error> GrowingFile::CannotWrite() {
  const int error_number = errno;
  failure_ = std::generic_category().message(error_number);
  return std::unexpected(SystemError("write", path_, error_number));
}

Result<void> GrowingFile::WriteAll(std::span<const std::byte> bytes) {
  std::uint64_t place = bytes_;
  while (!bytes.empty()) {
    const ssize_t written =
        in_place_ ? ::write(file_.Number(), bytes.data(), bytes.size())
                  : ::pwrite(file_.Number(), bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN && in_place_) {
      if (auto room = WaitForRoom(file_.Number()); !room) {
        failure_ = room.error().message;
        return room;
      }
      continue;
    }
    if (written < 0) return CannotWrite();
    place += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  bytes_ = place;
  return {};
}

// Allocates blocks without changing the file's size.
Result<void> GrowingFile::Reserve(std::uint64_t bytes) {
  if (in_place_ || !reserves_) return {};
  int failed = 0;
  do {
    failed = ::fallocate(file_.Number(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(bytes_),
                         static_cast<off_t>(bytes));
  } while (failed != 0 && errno == EINTR);
  if (failed == 0) return {};
  if (errno == ENOSPC || errno == EDQUOT || errno == EIO) return CannotWrite();
  // Not every file system supports this. EFBIG may apply only to the reserve and not to the bytes.
  reserves_ = false;
  return {};
}

Result<void> GrowingFile::Append(std::span<const std::byte> bytes, std::size_t reserve) {
  CHECK(file_.IsOpen());
  if (broken_) return Fail(ErrorKind::kIo, "an earlier write failed midway");
  const WithoutWriteSignals guard;
  if (reserve > 0) TRY_VOID(Reserve(bytes.size() + reserve));
  const std::uint64_t place = bytes_;
  auto written = WriteAll(bytes);
  if (written) return {};
  if (in_place_ || ::ftruncate(file_.Number(), static_cast<off_t>(place)) != 0) broken_ = true;
  return written;
}

Result<void> GrowingFile::CutTo(std::uint64_t place) {
  CHECK(!in_place_ && place <= bytes_);
  if (::ftruncate(file_.Number(), static_cast<off_t>(place)) != 0) return CannotWrite();
  bytes_ = place;
  return {};
}

Result<void> GrowingFile::Appear() {
  if (temporary_.empty()) return {};
  if (::fdatasync(file_.Number()) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return CannotWrite();
  }
  temporary_.clear();
  SyncDirectory(DirectoryOf(path_));
  return {};
}

Result<void> GrowingFile::Finish() {
  if (!in_place_) {
    // Truncating the file to its own size frees the blocks allocated after its end.
    struct stat now{};
    if (::ftruncate(file_.Number(), static_cast<off_t>(bytes_)) != 0 ||
        ::fsync(file_.Number()) != 0 || ::fstat(file_.Number(), &now) != 0) {
      return CannotWrite();
    }
    if (now.st_nlink == 0) {
      return Fail(ErrorKind::kIo, fmt::format("{} was removed or replaced while it was written",
                                              Printable(path_.string())));
    }
  }
  if (file_.Close() != 0) return CannotWrite();
  return {};
}

}  // namespace tare::format
