// single_step.cc: a forked child that is traced and single-stepped.
#include "machine/host/single_step.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <system_error>
#include <thread>

#include "base/signal_text.h"

namespace tare::host {
namespace {

constexpr int kSteps = 4;

std::optional<int> NextStatus(pid_t child) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (true) {
    int status = 0;
    const pid_t changed = ::waitpid(child, &status, WNOHANG | __WALL);
    if (changed == child) return status;
    if (changed < 0 && errno != EINTR) return std::nullopt;
    if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

SingleStep Broken(std::string reason) { return {.works = false, .reason = std::move(reason)}; }

// `child` has called PTRACE_TRACEME and stopped itself, or exited with the errno of that call. The
// errors of ptrace(2) are below 125.
SingleStep Step(pid_t child) {
  auto status = NextStatus(child);
  if (!status) return Broken("the traced child did not stop");
  if (WIFEXITED(*status)) {
    return Broken(
        fmt::format("ptrace fails: {}", std::generic_category().message(WEXITSTATUS(*status))));
  }
  if (WIFSIGNALED(*status)) {
    return Broken(WTERMSIG(*status) == SIGSYS
                      ? "a seccomp filter blocks ptrace"
                      : "the child was killed by " + SignalText(WTERMSIG(*status)));
  }
  for (int step = 0; step < kSteps; ++step) {
    if (::ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) {
      return Broken(
          fmt::format("single-stepping fails: {}", std::generic_category().message(errno)));
    }
    status = NextStatus(child);
    if (!status || !WIFSTOPPED(*status))
      return Broken("the child did not stop after a single step");
    if (WSTOPSIG(*status) != SIGTRAP) {
      return Broken(fmt::format("the child got signal {} instead of SIGTRAP after a single step",
                                WSTOPSIG(*status)));
    }
  }
  return {.works = true, .reason = ""};
}

}  // namespace

SingleStep TrySingleStep() {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return Broken(std::generic_category().message(errno));
  if (child == 0) {
    // When a tracer is killed, the kernel lets the traced process go on: it would call getppid
    // forever (ptrace(2)).
    ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGKILL));
    if (::getppid() != parent) ::_exit(0);  // killed before PR_SET_PDEATHSIG took effect
    // Other threads of the parent may have held locks at the fork, so only system calls are safe
    // (fork(2)).
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(errno);
    ::kill(::getpid(), SIGSTOP);
    while (true) ::getppid();
  }
  SingleStep result = Step(child);
  ::kill(child, SIGKILL);
  // Waits for the death of the child; otherwise it would remain a zombie.
  while (true) {
    const auto status = NextStatus(child);
    if (!status || WIFEXITED(*status) || WIFSIGNALED(*status)) break;
  }
  return result;
}

}  // namespace tare::host
