// stop.cc: the signal handler and what it keeps.
#include "base/stop.h"

#include <fmt/format.h>
#include <signal.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

namespace tare {
namespace {

// Signals that come so soon after the first are the same request: timeout(1) sends two, to the
// process and to its group, and a key may be pressed twice.
constexpr std::int64_t kSameRequestNs = 1'000'000'000;

std::atomic<int> received{0};
std::atomic<std::int64_t> first_at{0};
static_assert(std::atomic<int>::is_always_lock_free &&
                  std::atomic<std::int64_t>::is_always_lock_free,
              "a signal handler may touch only lock-free atomics");

std::int64_t Now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void OnSignal(int signal) {
  const int error = errno;
  const std::int64_t now = Now();
  std::int64_t none = 0;
  if (first_at.compare_exchange_strong(none, now)) {
    received.store(signal, std::memory_order_relaxed);
  } else if (now - first_at.load() > kSameRequestNs) {
    // Ends the process when this handler returns.
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }
  errno = error;
}

}  // namespace

void WatchForStop() {
  struct sigaction action{};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  for (const int signal : {SIGHUP, SIGQUIT}) {
    struct sigaction present{};
    sigaction(signal, nullptr, &present);
    if (present.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

bool IsStopAsked() { return received.load(std::memory_order_relaxed) != 0; }

std::unexpected<Error> Stopped(std::string_view saved) {
  return Fail(ErrorKind::kInterrupted,
              fmt::format("stopped by the user{}{}", saved.empty() ? "" : "; ", saved));
}

int StopStatus() {
  const int signal = received.load(std::memory_order_relaxed);
  return signal == 0 ? ExitStatus(ErrorKind::kInterrupted) : 128 + signal;
}

}  // namespace tare
