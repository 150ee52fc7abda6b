// interrupt.cc: the signal handler and its flag.
#include "cli/interrupt.h"

#include <signal.h>

#include <atomic>

namespace tare::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may touch only lock-free atomics");

void OnSignal(int) { interrupted.store(true, std::memory_order_relaxed); }

}  // namespace

void WatchForInterrupt() {
  struct sigaction action{};
  action.sa_handler = OnSignal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool Interrupted() { return interrupted.load(std::memory_order_relaxed); }

}  // namespace tare::cli
