// stop.cc: the signal handler and what it keeps.
#include "base/stop.h"

#include <fmt/format.h>
#include <signal.h>

#include <atomic>

namespace tare {
namespace {

std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free,
              "a signal handler may touch only lock-free atomics");

void OnSignal(int signal) { received.store(signal, std::memory_order_relaxed); }

}  // namespace

void WatchForStop() {
  struct sigaction action{};
  action.sa_handler = OnSignal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
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
