// observer.cc: sleeps until absolute deadlines, so that the duration of a record does not delay the
// next one.
#include "measure/sample/observer.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace tare::sample {
namespace {

constexpr std::uint64_t kStartLookNs = 50'000;
// Longer waits are split to check for the end of the program and to flush the file.
constexpr std::uint64_t kLongestWaitNs = 50'000'000;
constexpr std::uint64_t kExactWaitNs = 1'000'000;

timespec AsTimespec(std::uint64_t ns) {
  return {.tv_sec = static_cast<time_t>(ns / 1'000'000'000U),
          .tv_nsec = static_cast<long>(ns % 1'000'000'000U)};
}

void SleepFor(std::uint64_t ns) {
  const timespec time = AsTimespec(ns);
  ::clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

std::uint64_t OwnCpuNs() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

Result<std::unique_ptr<Observer>> Observer::Start(pid_t process, const StartMark& mark,
                                                  Recorder& recorder) {
  // pidfd_open(2) needs Linux 5.3; without it only Stop() ends the thread.
  const long opened = ::syscall(SYS_pidfd_open, process, 0U);
  std::unique_ptr<Observer> observer(
      new Observer(Descriptor::AboveStandard(static_cast<int>(opened)), mark, recorder));
  try {
    observer->thread_ = std::thread([raw = observer.get()] { raw->Run(); });
  } catch (const std::system_error& error) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("cannot start the observer: {}", error.what()));
  }
  return observer;
}

void Observer::Stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void Observer::Run() {
  // The default timer slack delays wake-ups by up to 50 us; see PR_SET_TIMERSLACK in prctl(2).
  ::prctl(PR_SET_TIMERSLACK, 1UL);
  if (WaitForStart()) {
    recorder_.TakeStart();
    while (SleepUntil(start_ns_ + recorder_.DueNs())) {
      recorder_.Take([this] { return MonotonicNs() - start_ns_; });
    }
  }
  cpu_ns_ = OwnCpuNs();
}

bool Observer::WaitForStart() {
  while (!stop_) {
    if (const auto start = mark_.Get()) {
      start_ns_ = start->time_ns;
      return true;
    }
    SleepFor(kStartLookNs);
  }
  return false;
}

bool Observer::SleepUntil(std::uint64_t deadline_ns) {
  while (true) {
    const std::uint64_t now = MonotonicNs();
    if (stop_ || EndsWithin(0)) return false;
    if (deadline_ns <= now) return true;
    const std::uint64_t left = deadline_ns - now;
    if (left > 2 * kExactWaitNs) {
      recorder_.FlushIfDue(now);
      if (EndsWithin(std::min(left - kExactWaitNs, kLongestWaitNs))) return false;
    } else {
      const timespec deadline = AsTimespec(deadline_ns);
      ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr);
    }
  }
}

bool Observer::EndsWithin(std::uint64_t wait_ns) {
  struct pollfd end{.fd = process_.Number(), .events = POLLIN, .revents = 0};
  const timespec wait = AsTimespec(wait_ns);
  return ::ppoll(&end, 1, &wait, nullptr) > 0;
}

}  // namespace tare::sample
