// watch.cc: a poll loop over the supervisor's reports and the clock.
#include "measure/run/watch.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"

namespace tare::run {
namespace {

using std::chrono::milliseconds;

// Polling periods for state that no descriptor reports: an interruption that another thread
// handled, a supervisor that was stopped.
constexpr milliseconds kLook{500};
constexpr milliseconds kInterruptLook{100};
constexpr milliseconds kOrphanLook{20};

std::chrono::steady_clock::duration AsDuration(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e9)));
}

timespec AsTimespec(std::chrono::steady_clock::duration duration) {
  const auto ns = std::max<std::int64_t>(
      0, std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
  return {.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
}

// Discards the pending SIGPIPE of the write, which would be delivered as soon as it is unblocked.
void TakeBrokenPipe() {
  sigset_t broken;
  ::sigemptyset(&broken);
  ::sigaddset(&broken, SIGPIPE);
  const timespec at_once{};
  ::sigtimedwait(&broken, nullptr, &at_once);
}

}  // namespace

Watch::Watch(Launch& launch, const Setting& setting, const sigset_t& mask, pid_t supervisor)
    : launch_(launch), setting_(setting), mask_(mask), supervisor_(supervisor) {}

Result<Watched> Watch::ToTheEnd() {
  TRY_VOID(Release());
  TRY_VOID(WaitForEnd());
  return watched_;
}

Result<void> Watch::Release() {
  int report = -1;
  while (report < 0) report = NextReport();
  if (report == 0) {
    if (launch_.shared->failed_step != Step::kNone) return {};
    return Fail(ErrorKind::kUnsupported, "the supervisor process was killed");
  }
  if (launch_.hooks->before_exec) TRY_VOID(launch_.hooks->before_exec(launch_.shared->program));
  // If the supervisor has died, WaitForEnd detects it.
  ssize_t put = 0;
  do {
    put = ::write(launch_.go_write.Number(), "g", 1);
  } while (put < 0 && errno == EINTR);
  if (put < 0 && errno != EPIPE) return std::unexpected(SystemError("start", "the program", errno));
  if (put < 0) TakeBrokenPipe();
  if (setting_.timeout_seconds) {
    const auto end = Clock::now() + AsDuration(*setting_.timeout_seconds);
    plan_ = {{end, SIGTERM, true}, {end + AsDuration(setting_.grace_seconds), SIGKILL, true}};
  }
  return {};
}

Result<void> Watch::WaitForEnd() {
  if (launch_.shared->program == 0) return {};
  while (true) {
    if (watched_.supervisor_died) {
      if (TakeStatus(*launch_.shared, false, launch_, launch_.shared->program)) return {};
      if (::kill(launch_.shared->program, 0) != 0) {
        return Fail(ErrorKind::kUnsupported, "another process reaped the program");
      }
    }
    const int report = NextReport();
    if (report == kEnded) return {};
    if (report == 0) {
      ReapSupervisor();
      watched_.supervisor_died = true;
    }
    if (report == kStopped) AnswerStop();
    GiveTerminal();
    SendDueSignals();
    RequestInterruption();
  }
}

int Watch::NextReport() {
  auto wait = std::chrono::duration_cast<Clock::duration>(
      launch_.hooks->interrupted ? kInterruptLook : kLook);
  if (watched_.supervisor_died) wait = kOrphanLook;
  for (const Signal& signal : plan_) wait = std::min(wait, signal.when - Clock::now());
  struct pollfd report{.fd = launch_.report_read.Number(), .events = POLLIN, .revents = 0};
  const timespec limit = AsTimespec(wait);
  const int answer = ::ppoll(&report, watched_.supervisor_died ? 0 : 1, &limit, &mask_);
  if (answer <= 0) {
    int status = 0;
    if (supervisor_ > 0 && ::waitpid(supervisor_, &status, WNOHANG | WUNTRACED) == supervisor_) {
      if (WIFSTOPPED(status)) ::kill(supervisor_, SIGCONT);
      if (!WIFSTOPPED(status)) supervisor_ = 0;
    }
    return -1;
  }
  char byte = 0;
  const ssize_t got = ::read(launch_.report_read.Number(), &byte, 1);
  if (got < 0) return -1;
  return got == 0 ? 0 : byte;
}

void Watch::SendDueSignals() {
  while (!plan_.empty() && plan_.front().when <= Clock::now()) {
    const Signal due = plan_.front();
    plan_.erase(plan_.begin());
    watched_.timed_out = watched_.timed_out || due.timeout;
    if (due.timeout) launch_.shared->end_group = true;
    SignalGroup(due.number);
  }
}

void Watch::RequestInterruption() {
  if (watched_.interrupted || !launch_.hooks->interrupted || !launch_.hooks->interrupted()) return;
  watched_.interrupted = true;
  SignalGroup(SIGINT);
  const auto now = Clock::now();
  const auto grace = AsDuration(setting_.grace_seconds);
  plan_.push_back({now + 5 * grace, SIGTERM, false});
  plan_.push_back({now + 6 * grace, SIGKILL, false});
  std::ranges::sort(plan_, {}, &Signal::when);
}

void Watch::SignalGroup(int number) const {
  const pid_t program = launch_.shared->program;
  ::kill(-program, number);
  // The program may have moved to another process group or session.
  if (::getpgid(program) != program) ::kill(program, number);
  // A stopped process handles only SIGKILL and SIGCONT.
  ::kill(-program, SIGCONT);
}

// Gives the terminal to a program that is stopped because it needs it, whatever its standard input
// is. If this process is in the background, it behaves like the program without tare: it stops with
// its whole group, the shell reports that, and the program gets the terminal once the shell has put
// the group into the foreground. If nothing can stop this process (SIGTTOU ignored, or an orphaned
// process group), it waits and can be interrupted. A program that owns the terminal and is stopped
// from the keyboard is continued, because no shell would continue it.
void Watch::AnswerStop() {
  if (launch_.terminal < 0) return;
  const pid_t group = ::getpgid(launch_.shared->program);
  const int signal = launch_.shared->stop_signal;
  if (group <= 0) return;
  if (signal == SIGTSTP && ::tcgetpgrp(launch_.terminal) == group) ::kill(-group, SIGCONT);
  if (signal != SIGTTIN && signal != SIGTTOU) return;
  wants_terminal_ = true;
  if (GiveTerminal() || ::tcgetpgrp(launch_.terminal) == launch_.own_group) return;
  ::kill(0, signal);  // blocked now; the next wait handles it
}

bool Watch::GiveTerminal() {
  if (!wants_terminal_) return true;
  const pid_t group = ::getpgid(launch_.shared->program);
  const pid_t holder = ::tcgetpgrp(launch_.terminal);
  if (group <= 0 || (holder != launch_.own_group && holder != group)) return false;
  // SIGTTOU is blocked, so this cannot stop this process.
  if (holder != group && ::tcsetpgrp(launch_.terminal, group) != 0) return false;
  launch_.shared->had_terminal = true;
  wants_terminal_ = false;
  ::kill(-group, SIGCONT);
  return true;
}

void Watch::ReapSupervisor() {
  // Once the supervisor has ended, the program is a child of this process.
  while (supervisor_ > 0 && ::waitpid(supervisor_, nullptr, 0) < 0 && errno == EINTR) {
  }
  supervisor_ = 0;
}

void Watch::Dismiss() {
  launch_.go_write.Close();
  if (supervisor_ > 0) ::kill(supervisor_, SIGCONT);
  ReapSupervisor();
}

}  // namespace tare::run
