// process.cc: this process's side of a run: prepare, watch and collect the result.
#include "measure/run/process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/file.h"
#include "base/printable.h"
#include "base/signal_text.h"
#include "measure/run/descendants.h"
#include "measure/run/layout.h"
#include "measure/run/prepare.h"
#include "measure/run/standing_supervisor.h"
#include "measure/run/supervisor.h"
#include "measure/run/watch.h"

namespace tare::run {
namespace {

std::string Reason(int error_number) { return std::generic_category().message(error_number); }

// Process state during a run: all signals are blocked (until the watch unblocks them) but SIGBUS,
// which an access to a mapped file raises that the program has cut; ended
// children stay waitable, and orphans are reparented to this process if the supervisor is killed.
class Custody {
 public:
  Custody() {
    sigset_t all;
    ::sigfillset(&all);
    ::sigdelset(&all, SIGBUS);
    ::pthread_sigmask(SIG_SETMASK, &all, &mask_);
    struct sigaction standard{};
    standard.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &standard, &on_child_signal_);
    ::prctl(PR_GET_CHILD_SUBREAPER, &was_reaper_);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1UL);
  }
  ~Custody() {
    LeaveOrphans();
    ::sigaction(SIGCHLD, &on_child_signal_, nullptr);
    ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }
  Custody(const Custody&) = delete;
  Custody& operator=(const Custody&) = delete;

  void LeaveOrphans() const {
    ::prctl(PR_SET_CHILD_SUBREAPER, static_cast<unsigned long>(was_reaper_));
  }
  const sigset_t& Mask() const { return mask_; }
  const struct sigaction& OnChildSignal() const { return on_child_signal_; }

 private:
  sigset_t mask_{};
  struct sigaction on_child_signal_{};
  int was_reaper_ = 0;
};

Error Failure(const Shared& shared, const ResolvedProgram& program, const Setting& setting) {
  const int number = shared.failed_errno;
  const std::string path =
      Printable(program.prefix.empty() ? program.path.string() : program.prefix.front());
  switch (shared.failed_step) {
    case Step::kCore:
      return {ErrorKind::kUsage,
              fmt::format("cannot run on core {}: {}", setting.core.value_or(0), Reason(number))};
    case Step::kDirectory:
      return {ErrorKind::kUsage, fmt::format("cannot change to the directory: {}", Reason(number))};
    case Step::kDescriptors:
      return {ErrorKind::kIo, fmt::format("cannot connect {}: {}", path, Reason(number))};
    case Step::kProcessId:
      return CannotChooseProcessId(number);
    case Step::kTrace:
      return CannotTrace(number);
    case Step::kLayout:
      return CannotMove(number);
    default:
      break;
  }
  std::string message = fmt::format("cannot execute {}: {}", path, Reason(number));
  if (!program.prefix.empty()) return {ErrorKind::kUnsupported, message};
  std::error_code ignored;
  const bool exists = std::filesystem::exists(program.path, ignored);
  if (number == ENOENT && exists) {
    message += program.form == ResolvedProgram::Form::kScript
                   ? fmt::format(" (its interpreter {})", Printable(program.interpreter))
                   : " (its loader)";
  } else if (number == ENOEXEC && program.foreign) {
    message += " (it is for another machine)";
  }
  return {ErrorKind::kCannotExecute, message};
}

// One division, so that the shortest decimal form has no more digits than the clock.
double Seconds(const timespec& from, const timespec& to) {
  const std::int64_t nanoseconds =
      std::int64_t{1'000'000'000} * (to.tv_sec - from.tv_sec) + (to.tv_nsec - from.tv_nsec);
  return static_cast<double>(nanoseconds) / 1e9;
}

double Seconds(const timeval& from, const timeval& to) {
  const std::int64_t microseconds =
      std::int64_t{1'000'000} * (to.tv_sec - from.tv_sec) + (to.tv_usec - from.tv_usec);
  return static_cast<double>(microseconds) / 1e6;
}

ResourceUse UseOf(const Shared& shared) {
  const auto& before = shared.before;
  const auto& all = shared.use;
  const auto rest = [](long from, long to) {
    return static_cast<std::uint64_t>(std::max(0L, to - from));
  };
  ResourceUse use{
      .user_seconds = std::max(0.0, Seconds(before.ru_utime, all.ru_utime)),
      .system_seconds = std::max(0.0, Seconds(before.ru_stime, all.ru_stime)),
      .max_resident_bytes = std::nullopt,
      .minor_faults = rest(before.ru_minflt, all.ru_minflt),
      .major_faults = rest(before.ru_majflt, all.ru_majflt),
      .voluntary_switches = rest(before.ru_nvcsw, all.ru_nvcsw),
      .involuntary_switches = rest(before.ru_nivcsw, all.ru_nivcsw),
  };
  // The kernel keeps RSS counters per CPU and sums them approximately; see proc(5), VmRSS.
  constexpr long kRoughlyKib = 1024;
  if (all.ru_maxrss > before.ru_maxrss + before.ru_maxrss / 20 + kRoughlyKib) {
    use.max_resident_bytes = static_cast<std::uint64_t>(all.ru_maxrss) * 1024;
  }
  return use;
}

Ended EndOf(int status, const Watched& watched) {
  Ended ended;
  if (WIFSIGNALED(status)) {
    ended.how = Ended::How::kSignalled;
    ended.signal = WTERMSIG(status);
    ended.core_dumped = WCOREDUMP(status);
  } else {
    ended.exit_status = WEXITSTATUS(status);
  }
  if (watched.timed_out) ended.how = Ended::How::kTimedOut;
  ended.interrupted = watched.interrupted;
  return ended;
}

Result<std::string> Captured(Output output, const Descriptor& file) {
  std::string bytes;
  if (output != Output::kCaptured) return bytes;
  char buffer[1 << 16];
  while (true) {
    const ssize_t got =
        ::pread(file.Number(), buffer, sizeof buffer, static_cast<off_t>(bytes.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(SystemError("read", "the captured output", errno));
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
}

std::vector<Caveat> CaveatsOf(const ResolvedProgram& program, const Setting& setting,
                              const Shared& shared, const Watched& watched) {
  std::vector<Caveat> caveats;
  const Environment& environment = setting.environment;
  if (environment.pin_dispatch && !environment.uncontrolled && !ToleratesTunables(program)) {
    caveats.push_back(
        {CaveatId::kDispatchNotPinned, "static-PIE programs crash with GLIBC_TUNABLES on AArch64"});
  }
  if (const int refused = shared.randomization_errno) {
    caveats.push_back({CaveatId::kRandomAddresses, Reason(refused)});
  }
  if (const int refused = shared.directory_errno) {
    caveats.push_back({CaveatId::kDirectoryLinked, Reason(refused)});
  }
  if (watched.supervisor_died) {
    caveats.push_back({CaveatId::kParentKilled, "wall time is up to 20 ms too high"});
  }
  return caveats;
}

// Takes the terminal back only from the program or from a group that has ended, because a shell may
// have put another job into the foreground.
void TakeTerminalBack(const Launch& launch) {
  if (!launch.shared->had_terminal) return;
  const pid_t holder = ::tcgetpgrp(launch.terminal);
  const bool left = holder > 0 && ::kill(-holder, 0) != 0 && errno == ESRCH;
  if (holder == launch.shared->program || left) ::tcsetpgrp(launch.terminal, launch.own_group);
}

// The interrupt and quit keys signal the foreground process group. If they ended the program, they
// would also have ended this process in the same group.
bool EndedFromKeyboard(const Shared& shared) {
  const int status = shared.status;
  if (!shared.had_terminal || !WIFSIGNALED(status)) return false;
  return WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGQUIT;
}

// Reads the pipe of Output::kDigested. This process must not keep its end for writing.
Result<std::unique_ptr<OutputDrain>> DrainOf(Descriptor& write, Descriptor& read) {
  if (!read.IsOpen()) return nullptr;
  write.Close();
  return OutputDrain::Start(std::move(read));
}

// Forks a supervisor for this run alone.
Result<pid_t> StartSupervisor(Prepared& run) {
  TRY_VOID(PrepareSupervisor(run));
  const pid_t supervisor = ::fork();
  if (supervisor < 0) {
    return Fail(ErrorKind::kUnsupported, fmt::format("cannot start a process: {}", Reason(errno)));
  }
  if (supervisor == 0) {
    run.output_read.Close();
    run.errors_read.Close();
    Supervise(run.launch);
  }
  run.launch.go_read.Close();
  run.launch.report_write.Close();
  return supervisor;
}

// Starts the supervisor, releases the program, and waits until both have ended. A standing
// supervisor remains.
Result<Watched> Conduct(Prepared& run, const Setting& setting, const Hooks& hooks,
                        std::optional<OutputDigest>& digest) {
  Launch& launch = run.launch;
  const Custody custody;
  launch.mask = custody.Mask();
  launch.on_child_signal = custody.OnChildSignal();
  launch.hooks = &hooks;
  const bool ends_all = setting.timeout_seconds && setting.timeout_ends_descendants;
  const auto others = ends_all ? DescendantsOf(::getpid()) : std::vector<pid_t>{};
  const bool may_stand =
      hooks.standing != nullptr && !ends_all && StandingSupervisor::CanRun(launch);
  pid_t supervisor = may_stand ? hooks.standing->Begin(launch) : 0;
  const bool stands = supervisor > 0;
  if (!stands) {
    TRY(supervisor, StartSupervisor(run));
  }
  const auto output_drain = DrainOf(run.output, run.output_read);
  const auto errors_drain = DrainOf(run.errors, run.errors_read);

  Watch watch(launch, setting, custody.Mask(), supervisor);
  Result<Watched> watched;
  if (output_drain && errors_drain) {
    watched = watch.ToTheEnd();
  } else {
    watched = std::unexpected(output_drain ? errors_drain.error() : output_drain.error());
  }
  TakeTerminalBack(launch);
  if (ends_all && watched && watched->timed_out) {
    // The parent of orphans is the supervisor or, if it died, this process.
    EndDescendants(watched->supervisor_died ? ::getpid() : supervisor, others);
  }
  // Orphans that the supervisor leaves are reparented as they would be without tare.
  custody.LeaveOrphans();
  const bool has_ended = watched && !watched->supervisor_died && launch.shared->taken;
  if (stands && has_ended && !launch.shared->has_orphans) {
    hooks.standing->Keep(launch);
  } else {
    if (stands) hooks.standing->Dismiss();
    watch.Dismiss();
  }
  if (output_drain && *output_drain) digest = (*output_drain)->Finish();
  return watched;
}

}  // namespace

int Ended::ShellStatus() const {
  if (how == How::kTimedOut) return 124;
  return how == How::kSignalled ? 128 + signal : exit_status;
}

std::string Ended::Failure() const {
  if (how == How::kExited && exit_status != 0) {
    return fmt::format("exited with status {}", exit_status);
  }
  if (how != How::kSignalled) return "";
  return "was killed by " + SignalText(signal);
}

Result<Finished> RunProgram(const ResolvedProgram& program, const Setting& setting,
                            const Hooks& hooks) {
  Prepared run;
  TRY_VOID(Prepare(program, setting, hooks.standing, run));
  std::optional<OutputDigest> digest;
  TRY(Watched watched, Conduct(run, setting, hooks, digest));
  const Shared& shared = *run.launch.shared;
  watched.interrupted = watched.interrupted || EndedFromKeyboard(shared);
  if (shared.failed_step != Step::kNone) {
    return std::unexpected(Failure(shared, program, setting));
  }
  Finished finished;
  finished.ended = EndOf(shared.status, watched);
  finished.wall_seconds =
      Seconds(shared.started, shared.ended) - Seconds(shared.stopped_from, shared.stopped_until);
  finished.use = UseOf(shared);
  TRY(finished.output, Captured(setting.output, run.output));
  TRY(finished.errors, Captured(setting.errors, run.errors));
  finished.output_digest = digest;
  finished.caveats = CaveatsOf(program, setting, shared, watched);
  return finished;
}

}  // namespace tare::run
