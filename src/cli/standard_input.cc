// standard_input.cc: detects the kind of descriptor 0, and stores pipes in a file.
#include "cli/standard_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <span>
#include <system_error>

#include "base/descriptor.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/units.h"

namespace tare::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Polling period for interruptions while there is no input, and the delay after which the user is
// notified what tare waits for.
constexpr int kLookMilliseconds = 100;
constexpr std::chrono::seconds kNoticeAfter{1};

bool IsNull(const struct stat& status) {
  return S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

// The path under which every run can open the same file from its start. Absent if there is none:
// the file was deleted, a part of it was already read, or only the process that opened it may.
std::optional<std::filesystem::path> PathToReopen(const struct stat& status) {
  if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || ::isatty(STDIN_FILENO) == 1) {
    return std::nullopt;
  }
  if (S_ISREG(status.st_mode) && ::lseek(STDIN_FILENO, 0, SEEK_CUR) > 0) return std::nullopt;
  std::error_code error;
  auto path = std::filesystem::read_symlink("/proc/self/fd/0", error);
  struct stat named;
  if (error || ::stat(path.c_str(), &named) != 0) return std::nullopt;
  const bool same = named.st_dev == status.st_dev && named.st_ino == status.st_ino;
  if (!same || ::access(path.c_str(), R_OK) != 0) return std::nullopt;
  return path;
}

class Spooling {
 public:
  Spooling(std::uint64_t limit, const Session& session) : limit_(limit), session_(session) {}

  // Copies all of standard input to a new file.
  Result<void> Into(const std::filesystem::path& path) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.IsOpen()) return std::unexpected(SystemError("write", path, errno));
    while (true) {
      TRY_VOID(AwaitMore());
      const ssize_t got = ::read(STDIN_FILENO, buffer_.data(), buffer_.size());
      if (got == 0) break;
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got < 0) return std::unexpected(SystemError("read", "standard input", errno));
      kept_ += static_cast<std::uint64_t>(got);
      if (kept_ > limit_) return TooMuch();
      TRY_VOID(Write(file, path, std::span(buffer_).first(static_cast<std::size_t>(got))));
    }
    if (file.Close() != 0) return std::unexpected(SystemError("write", path, errno));
    return {};
  }

 private:
  // Returns when bytes, the end of file or an error can be read.
  Result<void> AwaitMore() {
    while (true) {
      if (session_.interrupted()) return Stopped();
      TellOnce();
      pollfd wanted{STDIN_FILENO, POLLIN, 0};
      if (::poll(&wanted, 1, kLookMilliseconds) > 0) return {};
    }
  }

  void TellOnce() {
    if (notified_ || Clock::now() - start_ < kNoticeAfter) return;
    notified_ = true;
    session_.notice(
        "waiting for the end of standard input, to give all of it to every run; use --input FILE "
        "for another input");
  }

  static Result<void> Write(const Descriptor& file, const std::filesystem::path& path,
                            std::span<const char> bytes) {
    while (!bytes.empty()) {
      const ssize_t put = ::write(file.Number(), bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return std::unexpected(SystemError("write", path, errno));
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
    return {};
  }

  std::unexpected<Error> TooMuch() const {
    const auto unit = ReadableUnit(static_cast<double>(limit_), "B");
    return Fail(ErrorKind::kIo,
                fmt::format("standard input is larger than {} {}, the limit for input that is "
                            "stored for several runs; raise it with --stdin-limit BYTES, or use "
                            "--input FILE",
                            Rounded(static_cast<double>(limit_) * unit.factor, 4), unit.symbol));
  }

  const std::uint64_t limit_;
  const Session& session_;
  const Clock::time_point start_ = Clock::now();
  std::array<char, 65536> buffer_;
  std::uint64_t kept_ = 0;
  bool notified_ = false;
};

}  // namespace

Result<StandardInput> ChooseStandardInput(InputUse use, std::uint64_t limit,
                                          const Session& session) {
  using From = run::Input::From;
  StandardInput chosen;
  chosen.input.from = From::kNothing;
  struct stat status;
  if (::fstat(STDIN_FILENO, &status) != 0 || IsNull(status)) return chosen;
  if (auto path = PathToReopen(status)) {
    chosen.input = {From::kFile, *std::move(path)};
    return chosen;
  }
  if (use == InputUse::kOneRun) {
    chosen.input.from = From::kPassed;
    return chosen;
  }
  if (::isatty(STDIN_FILENO) == 1) return chosen;
  // On disk, not in memory, because there may be a lot of it.
  TRY(auto directory, PrivateDirectory::MakeOnDisk());
  const auto path = directory.path() / "input";
  TRY_VOID(Spooling(limit, session).Into(path));
  chosen.input = {From::kFile, path};
  chosen.spool.emplace(std::move(directory));
  return chosen;
}

}  // namespace tare::cli
