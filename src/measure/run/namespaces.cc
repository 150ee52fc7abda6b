// namespaces.cc: wraps unshare(2), mount(2) and clone3(2).
#include "measure/run/namespaces.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace tare::run {
namespace {

int WriteOnce(const char* path, std::string_view text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const ssize_t put = ::write(file, text.data(), text.size());
  const int failed = put < 0 ? errno : 0;
  ::close(file);
  return failed;
}

int Separate(int what, const IdentityMaps& maps) {
  if (::unshare(what) == 0) return 0;
  if (errno != EPERM || ::unshare(what | CLONE_NEWUSER) != 0) return errno;
  // user_namespaces(7): without privileges, a gid map may be written only after setgroups is
  // denied.
  if (const int failed = WriteOnce("/proc/self/setgroups", "deny")) return failed;
  if (const int failed = WriteOnce("/proc/self/uid_map", maps.user)) return failed;
  return WriteOnce("/proc/self/gid_map", maps.group);
}

}  // namespace

IdentityMaps IdentityMaps::OfThisProcess() {
  return {fmt::format("{0} {0} 1", ::geteuid()), fmt::format("{0} {0} 1", ::getegid())};
}

int SeparateProcesses(const IdentityMaps& maps) { return Separate(CLONE_NEWPID, maps); }

int SeparateMounts(const IdentityMaps& maps) {
  if (const int failed = Separate(CLONE_NEWNS, maps)) return failed;
  // MS_SLAVE: mounts of the outer namespace still propagate here; mounts here do not propagate out.
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0 ? 0 : errno;
}

int ShowOwnProcesses() {
  return ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0 ? 0
                                                                                          : errno;
}

int MountDirectory(const char* directory, const char* place) {
  return ::mount(directory, place, nullptr, MS_BIND | MS_REC, nullptr) == 0 ? 0 : errno;
}

pid_t ForkAs(pid_t number) {
  struct clone_args arguments{};
  arguments.exit_signal = SIGCHLD;
  arguments.set_tid = reinterpret_cast<std::uint64_t>(&number);
  arguments.set_tid_size = 1;
  return static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
}

Error CannotChooseProcessId(int error_number) {
  const std::string why = error_number == EINVAL ? "the kernel does not allow this number"
                                                 : std::generic_category().message(error_number);
  return {ErrorKind::kUnsupported,
          fmt::format("cannot set the process id: {}; this needs permission to create namespaces",
                      why)};
}

pid_t NumberInProc() {
  char text[32];
  const ssize_t size = ::readlink("/proc/self", text, sizeof text);
  pid_t number = 0;
  for (ssize_t i = 0; i < size; ++i) number = number * 10 + (text[i] - '0');
  return number;
}

}  // namespace tare::run
