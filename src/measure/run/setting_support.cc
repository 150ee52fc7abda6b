// setting_support.cc: tests in child processes which settings the kernel and its policies allow.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/descriptor.h"
#include "measure/run/layout.h"
#include "measure/run/namespaces.h"
#include "measure/run/setting.h"

namespace tare::run {
namespace {

// Runs `attempt`, which must be async-signal-safe, in a child and returns its result: 0 or an error
// number.
template <typename Attempt>
int InChild(const Attempt& attempt) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
  const Descriptor read(ends[0]);
  Descriptor write(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return errno;
  if (child == 0) {
    const int answer = attempt();
    const bool sent = ::write(write.Number(), &answer, sizeof answer) == sizeof answer;
    ::_exit(sent ? 0 : 1);
  }
  write.Close();
  int answer = EIO;
  ssize_t got = 0;
  do {
    got = ::read(read.Number(), &answer, sizeof answer);
  } while (got < 0 && errno == EINTR);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return got == sizeof answer ? answer : EIO;
}

// The first child is PID 1, without which the namespace accepts no other process.
int TryProcessId(const IdentityMaps& maps) {
  if (const int failed = SeparateProcesses(maps)) return failed;
  return InChild([&maps] {
    if (const int failed = SeparateMounts(maps)) return failed;
    if (const int failed = ShowOwnProcesses()) return failed;
    constexpr pid_t kAny = 1000;
    const pid_t created = ForkAs(kAny);
    if (created == 0) ::_exit(0);
    if (created < 0) return errno;
    ::waitpid(created, nullptr, 0);
    return 0;
  });
}

}  // namespace

Result<void> CanMoveLayout() {
  if (::getauxval(AT_SYSINFO_EHDR) == 0) return std::unexpected(CannotMove(ENOSYS));
  const int failed = InChild([] {
    const pid_t traced = ::fork();
    if (traced < 0) return errno;
    if (traced == 0) {
      for (;;) ::pause();
    }
    const int refused = ::ptrace(PTRACE_SEIZE, traced, nullptr, nullptr) == 0 ? 0 : errno;
    ::kill(traced, SIGKILL);
    ::waitpid(traced, nullptr, 0);
    return refused;
  });
  if (failed != 0) return std::unexpected(CannotTrace(failed));
  return {};
}

Result<void> CanChooseProcessId() {
  const IdentityMaps maps = IdentityMaps::OfThisProcess();
  if (const int failed = InChild([&maps] { return TryProcessId(maps); })) {
    return std::unexpected(CannotChooseProcessId(failed));
  }
  return {};
}

Result<void> CanLengthenDirectory() {
  const IdentityMaps maps = IdentityMaps::OfThisProcess();
  const int failed = InChild([&maps] {
    const int separate = SeparateMounts(maps);
    return separate != 0 ? separate : MountDirectory("/", "/");
  });
  if (failed == 0) return {};
  return Fail(
      ErrorKind::kUnsupported,
      fmt::format(
          "cannot give the working directory another path: {}; this needs permission to mount",
          std::generic_category().message(failed)));
}

}  // namespace tare::run
