// supervisor.h: the process between this one and the program, and the program's process before
// execve.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

#include "base/descriptor.h"
#include "measure/run/namespaces.h"
#include "measure/run/process.h"

namespace tare::run {

// The steps that can fail between fork and execve.
enum class Step { kNone, kCore, kDirectory, kDescriptors, kExecute, kProcessId, kTrace, kLayout };

// In memory shared by this process, the supervisor and the program's process. execve unmaps it, so
// the program cannot access it.
struct Shared {
  std::atomic<Step> failed_step{Step::kNone};
  std::atomic<int> failed_errno{0};
  std::atomic<int> randomization_errno{0};  // not 0: personality(2) could not disable randomization
  std::atomic<int> directory_errno{0};      // not 0: the directory is a symbolic link, not a mount
  std::atomic<bool> end_group{false};       // send SIGKILL to the program's group at its end
  std::atomic<bool> lingers{false};         // PID 1 of the program's namespace keeps running
  std::atomic<bool> has_orphans{false};     // children of a standing supervisor at the end
  std::atomic<int> stop_signal{0};          // the last signal that stopped the program
  std::atomic<bool> had_terminal{false};    // the program's group has owned the terminal

  std::atomic<pid_t> program{0};  // PID in this process's namespace
  timespec started{};             // just before execve
  struct rusage before{};         // resource use of the process until then
  timespec
      stopped_from{};  // both 0, or the period during which the program was stopped after execve
  timespec stopped_until{};
  timespec ended{};
  struct rusage use{};
  int status = 0;                  // wait status
  std::atomic<bool> taken{false};  // the three fields above are set
};

// How the program is to be started. Can be copied to another process, except what the pointers
// point to.
struct LaunchPlan {
  const char* path = nullptr;
  char* const* arguments = nullptr;    // null-terminated
  char* const* environment = nullptr;  // null-terminated
  const char* directory = nullptr;     // working directory; null: unchanged
  const char* behind_directory =
      nullptr;  // the directory to bind-mount on `directory`, or to link from there
  bool randomize = false;
  std::optional<bool> huge_pages;
  Layout layout;
  std::optional<pid_t> process_id;
  std::optional<unsigned> core;
  pid_t owner = 0;  // not 0: the process without which the program is killed

  // Source of descriptors 0, 1 and 2: a descriptor, kInherit or kClose.
  static constexpr int kInherit = -1;
  static constexpr int kClose = -2;
  std::array<int, 3> standard = {kInherit, kInherit, kInherit};

  sigset_t mask{};                     // signal mask of the program
  std::optional<sigset_t> ignored;     // signals that the program ignores; otherwise as now
  struct sigaction on_child_signal{};  // disposition of SIGCHLD to restore

  // The controlling terminal, if any. The program gets it at once, or when it is stopped because it
  // needs it: see Watch::AnswerStop.
  int terminal = -1;
  bool terminal_at_once = false;
  pid_t own_group = 0;
};

// What both processes need, prepared before fork, because nothing may be allocated after it.
struct Launch : LaunchPlan {
  IdentityMaps maps;
  const Hooks* hooks = nullptr;
  Shared* shared = nullptr;

  Descriptor go_read, go_write;          // to the supervisor: one byte, then end of file
  Descriptor report_read, report_write;  // from the supervisor: see kCreated
  Descriptor alive;                      // kept open by PID 1 of the program's namespace
  bool ignores_owner_signal = false;     // what the program inherits; see WatchOwner

  // In a standing supervisor. The error number of its mount namespace, if it has one.
  bool stays = false;
  std::optional<int> mounts_errno;
  bool is_mounted = false;  // the directory of the run before
};

// The supervisor's reports, in this order; kStopped can occur any number of times.
inline constexpr char kCreated = 'c';
inline constexpr char kStopped = 's';
inline constexpr char kEnded = 'e';

// Call in the forked child with all signals blocked. Creates the program's process, waits for the
// byte, releases the program, waits for its end, reports, and exits when the pipe is closed. If the
// pipe is closed before the byte arrives, kills the program's process. With a process id, the
// supervisor is PID 1 of the program's namespace, a child of the forked process. It stays until the
// namespace is empty, because the kernel kills all processes of a namespace whose PID 1 ends
// (pid_namespaces(7)).
[[noreturn]] void Supervise(Launch& launch);

// Memory that this process shares with a standing supervisor, at the same address in both. The
// plan's pointers are into `bytes`, its descriptors are indices of those that were sent.
struct StandingMemory {
  Shared shared;
  LaunchPlan plan;
  alignas(16) char bytes[std::size_t{8} << 20];
};

// Messages to a standing supervisor; the first comes with the descriptors of the run.
inline constexpr char kStandingRun = 'r';
inline constexpr char kStandingEnd = 'e';
inline constexpr std::size_t kStandingDescriptors = 4;

// Call in the forked child with all signals blocked. Supervises runs until it is asked to end, or
// this process is gone, or a run could not be started. `maps`: it gets a mount namespace.
[[noreturn]] void StandBy(StandingMemory& memory, const IdentityMaps* maps, Descriptor& socket,
                          Descriptor& go_read, Descriptor& report_write);

// Takes the status of the ended program; `wait` waits for its end. False: it is still running. With
// `wait`, also reaps orphans among the caller's children. `program` is the PID in the caller's
// namespace.
bool TakeStatus(Shared& shared, bool wait, const Launch& launch, pid_t program);

}  // namespace tare::run
