// installed_program.cc: posix_spawn with a pipe and a timeout.
#include "machine/host/installed_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>

#include "base/descriptor.h"
#include "base/printable.h"
#include "base/signal_text.h"
#include "machine/host/kernel_text.h"

namespace tare::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kUsualPath = "/usr/local/bin:/usr/bin:/bin";

std::unexpected<Error> CannotRun(const std::filesystem::path& program, std::string_view why) {
  return Fail(ErrorKind::kUnsupported,
              fmt::format("cannot run {}: {}", Printable(program.string()), why));
}

std::string Reason(int error_number) { return std::generic_category().message(error_number); }

// Starts the program in its own process group. Returns 0 or an error number.
int Spawn(const std::filesystem::path& program, const std::vector<std::string>& arguments,
          int output, pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (const int failed = ::posix_spawn_file_actions_init(&actions)) return failed;
  if (const int failed = ::posix_spawnattr_init(&attributes)) {
    ::posix_spawn_file_actions_destroy(&actions);
    return failed;
  }
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  // Valgrind reads .valgrindrc from the working directory.
  ::posix_spawn_file_actions_addchdir_np(&actions, "/");
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::string name = program.string();
  std::vector<std::string> owned(arguments);
  std::vector<char*> argument_list = {name.data()};
  for (std::string& argument : owned) argument_list.push_back(argument.data());
  argument_list.push_back(nullptr);
  std::string path = "PATH=" + std::string(kUsualPath);
  std::string language = "LC_ALL=C";
  std::vector<char*> environment = {path.data(), language.data(), nullptr};
  const int failed = ::posix_spawn(&child, name.c_str(), &actions, &attributes,
                                   argument_list.data(), environment.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return failed;
}

// Reads until end of file, the limit or the deadline; false at the deadline.
bool Collect(int descriptor, Clock::time_point deadline, std::size_t max, ProgramOutput& output) {
  char buffer[4096];
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    struct pollfd ready{.fd = descriptor, .events = POLLIN, .revents = 0};
    const int answer = ::poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left, 1000)));
    if (answer < 0 && errno != EINTR) return false;
    if (answer <= 0) continue;
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    const std::size_t room = max - output.text.size();
    output.text.append(buffer, std::min(room, static_cast<std::size_t>(got)));
    if (static_cast<std::size_t>(got) > room) {
      output.cut = true;
      return true;
    }
  }
}

// The status from waitpid(2), or nothing when the child still runs at the deadline. If the caller
// ignores SIGCHLD there is no status to collect; it counts as 0.
std::optional<int> WaitUntil(pid_t child, Clock::time_point deadline) {
  while (true) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno == ECHILD) return 0;
    if (ended < 0 && errno != EINTR) return std::nullopt;
    if (Clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

std::optional<std::filesystem::path> FindProgram(std::string_view name,
                                                 std::string_view search_path) {
  if (name.empty() || name.find('/') != std::string_view::npos) return std::nullopt;
  while (true) {
    const auto colon = search_path.find(':');
    const auto directory = search_path.substr(0, colon);
    if (directory.starts_with('/')) {
      auto candidate = std::filesystem::path(directory) / name;
      struct stat found{};
      if (::stat(candidate.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
          ::access(candidate.c_str(), X_OK) == 0) {
        return candidate;
      }
    }
    if (colon == std::string_view::npos) return std::nullopt;
    search_path.remove_prefix(colon + 1);
  }
}

std::string SearchPath() {
  const char* path = std::getenv("PATH");
  return path != nullptr && *path != '\0' ? path : std::string(kUsualPath);
}

Result<ProgramOutput> RunBriefly(const std::filesystem::path& program,
                                 const std::vector<std::string>& arguments,
                                 const ProgramLimits& limits) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return CannotRun(program, Reason(errno));
  Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  const auto deadline = Clock::now() + limits.time;
  pid_t child = 0;
  if (const int failed = Spawn(program, arguments, writer.Number(), child)) {
    return CannotRun(program, Reason(failed));
  }
  writer.Close();
  ProgramOutput output;
  const bool in_time = Collect(reader.Number(), deadline, limits.output_bytes, output);
  // A program with truncated output would block on the full pipe, so it is not waited for.
  auto status = in_time && !output.cut ? WaitUntil(child, deadline) : std::nullopt;
  if (!status) {
    ::kill(-child, SIGKILL);
    WaitUntil(child, Clock::now() + std::chrono::seconds(10));
    if (output.cut) return output;
    return CannotRun(program, fmt::format("it did not exit within {} ms", limits.time.count()));
  }
  if (WIFSIGNALED(*status)) {
    return CannotRun(program, "killed by " + SignalText(WTERMSIG(*status)));
  }
  output.exit_status = WEXITSTATUS(*status);
  return output;
}

std::string VersionIn(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  const auto trimmed = Trimmed(text);
  for (std::string_view word : Words(trimmed.substr(0, trimmed.find('\n')))) {
    auto at = word.find_first_of(kDigits);
    while (at != std::string_view::npos) {
      const auto end = word.find_first_not_of(kDigits, at);
      if (end == std::string_view::npos) break;
      if (word[end] == '.' && end + 1 < word.size() && kDigits.contains(word[end + 1])) {
        const auto version = word.substr(at);
        return Printable(version.substr(0, version.find_first_of(",;()")));
      }
      at = word.find_first_of(kDigits, end);
    }
  }
  return "";
}

}  // namespace tare::host
