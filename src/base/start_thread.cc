// start_thread.cc: the exception of std::thread as an error.
#include "base/start_thread.h"

#include <fmt/format.h>
#include <signal.h>

#include <system_error>

namespace tare {

Result<std::thread> StartThread(std::function<void()> work) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error& error) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("cannot start a thread: {}", error.code().message()));
  }
}

Result<std::thread> StartThreadWithoutSignals(std::function<void()> work) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  // An access to a mapped file that was cut raises it: the kernel ends a process that blocks it.
  ::sigdelset(&all, SIGBUS);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  auto thread = StartThread(std::move(work));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace tare
