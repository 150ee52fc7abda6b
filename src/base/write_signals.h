// write_signals.h: keeps the signals of a failed write from ending the process.
#pragma once

#include <signal.h>

#include <cerrno>
#include <ctime>
#include <initializer_list>

namespace tare {

// Blocks SIGPIPE and SIGXFSZ, so that a write to a broken pipe or beyond the file size limit only
// fails with an error (write(2)). The kernel sends both signals to the writing thread.
class WithoutWriteSignals {
 public:
  WithoutWriteSignals() {
    ::sigemptyset(&ours_);
    ::sigaddset(&ours_, SIGPIPE);
    ::sigaddset(&ours_, SIGXFSZ);
    ::sigpending(&pending_before_);
    ::pthread_sigmask(SIG_BLOCK, &ours_, &mask_before_);
  }
  ~WithoutWriteSignals() {
    const int error_number = errno;
    for (const int signal : {SIGPIPE, SIGXFSZ}) {
      if (::sigismember(&pending_before_, signal) == 1) continue;
      sigset_t one;
      ::sigemptyset(&one);
      ::sigaddset(&one, signal);
      const timespec at_once{};
      while (::sigtimedwait(&one, nullptr, &at_once) < 0 && errno == EINTR) continue;
    }
    ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    errno = error_number;
  }
  WithoutWriteSignals(const WithoutWriteSignals&) = delete;
  WithoutWriteSignals& operator=(const WithoutWriteSignals&) = delete;

 private:
  sigset_t ours_, pending_before_, mask_before_;
};

}  // namespace tare
