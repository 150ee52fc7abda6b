// supervisor.cc: fork, execve and wait. Only async-signal-safe calls are made before execve,
// because another thread of this process can hold any lock at the time of the fork.
#include "measure/run/supervisor.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "measure/run/stopped_start.h"

namespace tare::run {
namespace {

constexpr int kNotExecuted = 127;

// Sanitizers keep state about the stack that a process uses.
#ifdef TARE_SANITIZED
constexpr bool kSharesMemory = false;
#else
constexpr bool kSharesMemory = true;
#endif

// In a supervisor: the process without which its child must not run on. The child is known until it
// is reaped.
std::atomic<pid_t> owner_process{0};
std::atomic<pid_t> owned_child{0};

// Nobody else sends this signal to a supervisor, and if somebody does, the owner still exists.
int OwnerSignal() { return SIGRTMAX; }

// The kernel also sends the signal when the thread ends that started the supervisor.
void OnOwnerSignal(int) {
  const int error_number = errno;
  if (::getppid() == owner_process) {
    errno = error_number;
    return;
  }
  if (const pid_t child = owned_child; child > 0) {
    ::kill(-child, SIGKILL);
    ::kill(child, SIGKILL);
  }
  ::_exit(0);
}

// From now on, the owner's end is that of this process and its child, even by SIGKILL. The
// program's process does not ask for the signal itself, because a program that kills its parent,
// the supervisor, goes on. To be called after changes of namespaces, which clear the request. Calls
// that wait are interrupted.
void WatchOwner(Launch& launch) {
  owner_process = launch.owner;
  struct sigaction action{};
  action.sa_handler = OnOwnerSignal;
  struct sigaction before{};
  ::sigaction(OwnerSignal(), &action, &before);
  if (before.sa_handler == SIG_IGN) launch.ignores_owner_signal = true;
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, OwnerSignal());
  ::sigprocmask(SIG_UNBLOCK, &signals, nullptr);
  ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(OwnerSignal()));
  if (::getppid() != owner_process) ::_exit(0);
}

// False if the other end is closed.
bool ReadByte(int descriptor) {
  char byte = 0;
  ssize_t got = 0;
  do {
    got = ::read(descriptor, &byte, 1);
  } while (got < 0 && errno == EINTR);
  return got == 1;
}

void WriteByte(int descriptor, char byte) {
  while (::write(descriptor, &byte, 1) < 0 && errno == EINTR) {
  }
}

[[noreturn]] void FailAtStep(Shared& shared, Step step) {
  shared.failed_errno = errno;
  shared.failed_step = step;
  ::_exit(kNotExecuted);
}

// Sets the personality in the process that executes the program, so tare need not re-execute itself
// as setarch(8) does. If a seccomp filter denies the call, the run continues with random addresses.
void SetRandomization(const Launch& launch) {
  constexpr unsigned long kAsk = 0xffffffff;
  const int present = ::personality(kAsk);
  if (present < 0) {
    launch.shared->randomization_errno = launch.randomize ? 0 : errno;
    return;
  }
  const auto before = static_cast<unsigned long>(static_cast<unsigned>(present));
  const unsigned long wanted = launch.randomize
                                   ? before & ~static_cast<unsigned long>(ADDR_NO_RANDOMIZE)
                                   : before | static_cast<unsigned long>(ADDR_NO_RANDOMIZE);
  if (wanted != before && ::personality(wanted) < 0 && !launch.randomize) {
    launch.shared->randomization_errno = errno;
  }
}

bool PinToCore(unsigned core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

bool PlaceDescriptors(const std::array<int, 3>& standard) {
  for (int number = 0; number < 3; ++number) {
    const int source = standard[static_cast<std::size_t>(number)];
    if (source == Launch::kClose) ::close(number);
    if (source >= 0 && ::dup2(source, number) < 0) return false;
  }
  return true;
}

// execve resets handlers, but none of ours may run between the change of the mask and execve.
void RestoreSignals(const Launch& launch) {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action{};
    if (launch.ignored) {
      action.sa_handler = ::sigismember(&*launch.ignored, number) == 1 ? SIG_IGN : SIG_DFL;
      ::sigaction(number, &action, nullptr);
      continue;
    }
    if (::sigaction(number, nullptr, &action) != 0) continue;
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = SIG_DFL;
    ::sigaction(number, &action, nullptr);
  }
  if (launch.ignores_owner_signal) ::signal(OwnerSignal(), SIG_IGN);
  if (launch.on_child_signal.sa_handler == SIG_IGN) {
    ::sigaction(SIGCHLD, &launch.on_child_signal, nullptr);
  }
  ::sigprocmask(SIG_SETMASK, &launch.mask, nullptr);
}

// One-byte messages between the supervisor and the program's process.
struct Pipe {
  Descriptor read;
  Descriptor write;

  bool Open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read = Descriptor::AboveStandard(ends[0]);
    write = Descriptor::AboveStandard(ends[1]);
    return true;
  }
};

void CloseCopy(const Descriptor& descriptor) {
  if (descriptor.IsOpen()) ::close(descriptor.Number());
}

// Changes nothing but the shared memory: this process may have the supervisor's memory.
[[noreturn]] void BecomeProgram(const Launch& launch, int created, int release) {
  Shared& shared = *launch.shared;
  ::setpgid(0, 0);
  CloseCopy(launch.alive);
  // /proc still belongs to the outer PID namespace.
  if (launch.process_id) shared.program = NumberInProc();
  WriteByte(created, kCreated);
  CloseCopy(launch.go_read);
  CloseCopy(launch.report_write);
  if (!ReadByte(release)) ::_exit(kNotExecuted);
  SetRandomization(launch);
  if (launch.huge_pages) ::prctl(PR_SET_THP_DISABLE, *launch.huge_pages ? 0UL : 1UL, 0UL, 0UL, 0UL);
  if (launch.core && !PinToCore(*launch.core)) FailAtStep(shared, Step::kCore);
  if (launch.directory != nullptr && ::chdir(launch.directory) != 0)
    FailAtStep(shared, Step::kDirectory);
  if (!PlaceDescriptors(launch.standard)) FailAtStep(shared, Step::kDescriptors);
  RestoreSignals(launch);
  ::getrusage(RUSAGE_SELF, &shared.before);
  ::clock_gettime(CLOCK_MONOTONIC, &shared.started);
  if (launch.hooks->in_program) launch.hooks->in_program();
  ::execve(launch.path, launch.arguments, launch.environment);
  FailAtStep(shared, Step::kExecute);
}

struct ProgramStart {
  const Launch* launch;
  int created;        // to the supervisor
  int release;        // from the supervisor
  int release_write;  // the supervisor's end
};

int BecomeProgramOf(void* start) {
  const auto& of = *static_cast<const ProgramStart*>(start);
  ::close(of.release_write);
  BecomeProgram(*of.launch, of.created, of.release);
}

// Creates the program's process. That of a standing supervisor has the supervisor's memory until
// execve, which is not copied then (clone(2), CLONE_VM). The two do not disturb each other: one of
// them waits while the other makes calls that can fail, as both have the same errno.
pid_t StartProgram(ProgramStart& start) {
  const Launch& launch = *start.launch;
  if (launch.process_id) {
    const pid_t program = ForkAs(*launch.process_id);
    if (program == 0) BecomeProgramOf(&start);
    return program;
  }
  if (launch.stays && kSharesMemory) {
    alignas(16) static char stack[1 << 16];
    return ::clone(BecomeProgramOf, stack + sizeof stack, CLONE_VM | SIGCHLD, &start);
  }
  const pid_t program = ::fork();
  if (program == 0) BecomeProgramOf(&start);
  return program;
}

void Supervise(Launch& launch, pid_t program, Descriptor& release) {
  Shared& shared = *launch.shared;
  const auto let_go = [&release] { WriteByte(release.Number(), 'g'); };
  if (!launch.hooks->supervise) {
    if (!launch.layout.IsRequested()) {
      let_go();
    } else if (TraceToStart(launch, program)) {
      let_go();
      MoveAtStart(launch, program);
    } else {
      release.Close();  // makes the process exit
    }
    TakeStatus(shared, true, launch, program);
    return;
  }
  shared.status = launch.hooks->supervise(program, let_go);
  owned_child = 0;
  ::clock_gettime(CLOCK_MONOTONIC, &shared.ended);
  if (shared.end_group) ::kill(-program, SIGKILL);
  // The program is the supervisor's only child, except for orphans that the hook reaped.
  ::getrusage(RUSAGE_CHILDREN, &shared.use);
  shared.taken = true;
}

// Returns in a child that is PID 1 of a new namespace. The creator cannot enter that namespace
// (pid_namespaces(7)). It waits until PID 1 ends, or stays for remaining processes that then have
// no parent in tare.
void BeginNamespace(Launch& launch) {
  Shared& shared = *launch.shared;
  ::setpgid(0, 0);
  Pipe alive;
  errno = SeparateProcesses(launch.maps);
  if (errno != 0 || !alive.Open()) FailAtStep(shared, Step::kProcessId);
  if (launch.owner != 0) WatchOwner(launch);
  const pid_t first = ::fork();
  if (first < 0) FailAtStep(shared, Step::kProcessId);
  if (first == 0) {
    owner_process = ::getppid();  // 0: it is outside of the namespace
    launch.alive = std::move(alive.write);
    return;
  }
  owned_child = first;
  alive.write.Close();
  launch.go_read.Close();
  launch.go_write.Close();
  launch.report_write.Close();
  launch.report_read.Close();
  ReadByte(alive.read.Number());
  while (!shared.lingers && ::waitpid(first, nullptr, 0) < 0 && errno == EINTR) {
  }
  ::_exit(0);
}

bool IsSameDirectory(const char* a, const char* b) {
  struct stat first{};
  struct stat second{};
  return ::stat(a, &first) == 0 && ::stat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// The supervisor mounts, not the program's process, because unmounting would add to the program's
// time. A standing supervisor keeps the mount: the kernel waits for all processors when one is
// removed.
void Mount(Launch& launch) {
  Shared& shared = *launch.shared;
  if (!launch.process_id && launch.behind_directory == nullptr) return;
  int failed = launch.mounts_errno ? *launch.mounts_errno : SeparateMounts(launch.maps);
  if (failed != 0 && launch.process_id) {
    errno = failed;
    FailAtStep(shared, Step::kProcessId);
  }
  if (launch.behind_directory == nullptr) return;
  if (launch.is_mounted) {
    if (IsSameDirectory(launch.directory, launch.behind_directory)) return;
    ::umount2(launch.directory, MNT_DETACH);
  }
  if (failed == 0) failed = MountDirectory(launch.behind_directory, launch.directory);
  shared.directory_errno = failed;
  if (failed == 0) return;
  const bool is_free = ::rmdir(launch.directory) == 0 || ::unlink(launch.directory) == 0;
  if (!is_free || ::symlink(launch.behind_directory, launch.directory) != 0) {
    FailAtStep(shared, Step::kDirectory);
  }
}

[[noreturn]] void Abandon(pid_t program) {
  ::kill(program, SIGKILL);
  ::waitpid(program, nullptr, 0);
  ::_exit(0);
}

// Creates the program's process, releases it on request, and waits for its end.
void RunToEnd(Launch& launch) {
  Shared& shared = *launch.shared;
  Mount(launch);
  if (launch.owner != 0 && !launch.process_id) WatchOwner(launch);
  Pipe created;
  Pipe release;
  if (!created.Open() || !release.Open()) FailAtStep(shared, Step::kExecute);

  ProgramStart start{&launch, created.write.Number(), release.read.Number(),
                     release.write.Number()};
  const pid_t program = StartProgram(start);
  if (program < 0) FailAtStep(shared, launch.process_id ? Step::kProcessId : Step::kExecute);
  if (launch.owner != 0 && !launch.process_id) owned_child = program;
  ::setpgid(program, program);
  created.write.Close();
  if (!ReadByte(created.read.Number())) Abandon(program);
  if (!launch.process_id) shared.program = program;
  if (const int failed = launch.process_id ? ShowOwnProcesses() : 0) {
    shared.program = 0;  // it ends with its PID 1
    errno = failed;
    FailAtStep(shared, Step::kProcessId);
  }
  WriteByte(launch.report_write.Number(), kCreated);
  if (!ReadByte(launch.go_read.Number())) Abandon(program);
  // SIGTTOU is blocked, so a background process may call tcsetpgrp(3).
  if (launch.terminal_at_once && ::tcsetpgrp(launch.terminal, program) == 0) {
    shared.had_terminal = true;
  }
  Supervise(launch, program, release.write);
}

// Reaps ended orphans instead of leaving them to init. Whether others run.
bool ReapOrphans() {
  pid_t reaped = 0;
  do {
    reaped = ::waitpid(-1, nullptr, WNOHANG);
  } while (reaped > 0);
  return reaped == 0;
}

struct Received {
  std::array<Descriptor, kStandingDescriptors> descriptors;

  int At(int index) const {
    return index < 0 ? index : descriptors[static_cast<std::size_t>(index)].Number();
  }
};

// The descriptors of the next run; false: there is none.
bool Receive(int socket, Received& received) {
  char byte = 0;
  struct iovec data{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char control[CMSG_SPACE(kStandingDescriptors * sizeof(int))];
  struct msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got != 1 || byte != kStandingRun) return false;
  if (const cmsghdr* const header = CMSG_FIRSTHDR(&message)) {
    std::array<int, kStandingDescriptors> numbers{};
    const std::size_t bytes = header->cmsg_len - CMSG_LEN(0);
    std::memcpy(numbers.data(), CMSG_DATA(header), bytes);
    // The standard descriptors may be closed here; the program's must not take their numbers.
    for (std::size_t i = 0; i < bytes / sizeof(int); ++i) {
      received.descriptors[i] = Descriptor::AboveStandard(numbers[i]);
    }
  }
  return true;
}

// When PID 1 ends, the kernel kills every process of its namespace.
void StayForOthers(Launch& launch) {
  if (::kill(-1, 0) != 0 && errno == ESRCH) return;
  launch.shared->lingers = true;
  if (::chdir("/") != 0) return;
  ::prctl(PR_SET_NAME, "tare-init");
  ::syscall(SYS_close_range, 0U, ~0U, 0U);
  while (::waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
  }
}

}  // namespace

bool TakeStatus(Shared& shared, bool wait, const Launch& launch, pid_t program) {
  if (shared.taken) return true;
  const auto program_id = static_cast<id_t>(program);
  while (true) {
    siginfo_t info{};
    const int options = wait ? WEXITED | WSTOPPED | WNOWAIT : WEXITED | WNOHANG | WNOWAIT;
    const int answer = ::waitid(wait ? P_ALL : P_PID, wait ? 0 : program_id, &info, options);
    if (answer != 0 && errno == EINTR) continue;
    if (answer != 0 || info.si_pid == 0) return false;
    const bool stopped = info.si_code == CLD_STOPPED || info.si_code == CLD_TRAPPED;
    // Another thread of this process may trace an orphan. waitid reports its stops here too; ignore
    // them.
    if (stopped && !wait) return false;
    if (stopped) {
      siginfo_t taken{};
      ::waitid(P_PID, static_cast<id_t>(info.si_pid), &taken, WSTOPPED | WNOHANG);
      if (info.si_pid == program) {
        shared.stop_signal = info.si_status;
        WriteByte(launch.report_write.Number(), kStopped);
      }
    } else if (info.si_pid != program) {
      ::waitpid(info.si_pid, nullptr, 0);
    } else {
      break;
    }
  }
  ::clock_gettime(CLOCK_MONOTONIC, &shared.ended);
  // Until the program is reaped, the kernel cannot reuse its PID or its group's id.
  if (shared.end_group) ::kill(-program, SIGKILL);
  owned_child = 0;
  while (::wait4(program, &shared.status, 0, &shared.use) < 0 && errno == EINTR) {
  }
  shared.taken = true;
  return true;
}

void Supervise(Launch& launch) {
  if (launch.process_id) BeginNamespace(launch);
  ::setpgid(0, 0);
  // Adopts orphans and reaps them, as init would. When the supervisor exits they go to init.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1UL);
  launch.go_write.Close();
  launch.report_read.Close();
  RunToEnd(launch);
  WriteByte(launch.report_write.Number(), kEnded);
  ReadByte(launch.go_read.Number());
  ReapOrphans();
  if (launch.process_id) StayForOthers(launch);
  ::_exit(0);
}

void StandBy(StandingMemory& memory, const IdentityMaps* maps, Descriptor& socket,
             Descriptor& go_read, Descriptor& report_write) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1UL);
  const Hooks no_hooks;
  Launch launch;
  launch.hooks = &no_hooks;
  launch.stays = true;
  launch.go_read = std::move(go_read);
  launch.report_write = std::move(report_write);
  if (maps != nullptr) launch.mounts_errno = SeparateMounts(*maps);
  launch.shared = &memory.shared;
  Received received;
  while (Receive(socket.Number(), received)) {
    static_cast<LaunchPlan&>(launch) = memory.plan;
    for (int& number : launch.standard) number = received.At(number);
    launch.terminal = received.At(launch.terminal);
    RunToEnd(launch);
    received = {};
    launch.is_mounted = launch.behind_directory != nullptr && memory.shared.directory_errno == 0;
    memory.shared.has_orphans = ReapOrphans();
    WriteByte(launch.report_write.Number(), kEnded);
  }
  ReapOrphans();
  ::_exit(0);
}

}  // namespace tare::run
