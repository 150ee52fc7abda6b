// special_file.cc: opens pipes and devices with O_NONBLOCK and polls, because SA_RESTART resumes an
// open or write that waits.
#include "base/special_file.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/file.h"
#include "base/stop.h"

namespace tare {
namespace {

constexpr int kPollMilliseconds = 100;

bool IsNamedPipe(const std::filesystem::path& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 && S_ISFIFO(about.st_mode);
}

// Also a signal that is blocked now, as all are while a program is prepared to run.
bool IsStopDue() {
  if (IsStopAsked()) return true;
  sigset_t pending;
  ::sigemptyset(&pending);
  ::sigpending(&pending);
  return std::ranges::any_of(std::array{SIGINT, SIGTERM, SIGHUP, SIGQUIT},
                             [&](int signal) { return ::sigismember(&pending, signal) == 1; });
}

}  // namespace

std::string StartOfFile(const std::filesystem::path& path, std::size_t count) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat about{};
  // Bytes of a pipe could not be read again.
  if (!file.IsOpen() || ::fstat(file.Number(), &about) != 0 || !S_ISREG(about.st_mode)) return {};
  std::string bytes(count, '\0');
  const ssize_t got = ::pread(file.Number(), bytes.data(), count, 0);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

Result<Descriptor> OpenInPlace(const std::filesystem::path& path) {
  while (true) {
    // A named pipe without a reader fails with ENXIO instead of blocking (open(2)).
    auto file = Descriptor::AboveStandard(
        ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (file.IsOpen()) return file;
    const int error_number = errno;
    if (error_number != EINTR && (error_number != ENXIO || !IsNamedPipe(path))) {
      return std::unexpected(SystemError("write", path, error_number));
    }
    if (IsStopDue()) return Stopped();
    ::poll(nullptr, 0, kPollMilliseconds);
  }
}

Result<void> WaitForRoom(int descriptor) {
  pollfd output{.fd = descriptor, .events = POLLOUT, .revents = 0};
  while (::poll(&output, 1, kPollMilliseconds) <= 0) {
    if (IsStopDue()) return Stopped();
  }
  return {};
}

}  // namespace tare
