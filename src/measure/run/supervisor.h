// supervisor.h: the process between this one and the program, and the program's process before
// execve.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>

#include <array>
#include <atomic>
#include <optional>
#include <vector>

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

// What both processes need, prepared before fork, because nothing may be allocated after it.
struct Launch {
  const char* path = nullptr;
  std::vector<char*> arguments;     // null-terminated
  std::vector<char*> environment;   // null-terminated
  const char* directory = nullptr;  // working directory; null: unchanged
  const char* behind_directory =
      nullptr;  // the directory to bind-mount on `directory`, or to link from there
  bool randomize = false;
  std::optional<bool> huge_pages;
  Layout layout;
  std::optional<pid_t> process_id;
  IdentityMaps maps;
  std::optional<unsigned> core;

  // Source of descriptors 0, 1 and 2: a descriptor, kInherit or kClose.
  static constexpr int kInherit = -1;
  static constexpr int kClose = -2;
  std::array<int, 3> standard = {kInherit, kInherit, kInherit};

  sigset_t mask{};                     // signal mask of the program
  struct sigaction on_child_signal{};  // disposition of SIGCHLD to restore

  // The controlling terminal, if any. The program gets it at once, or when it is stopped because it
  // needs it: see Watch::AnswerStop.
  int terminal = -1;
  bool terminal_at_once = false;
  pid_t own_group = 0;

  const Hooks* hooks = nullptr;
  Shared* shared = nullptr;

  Descriptor go_read, go_write;          // to the supervisor: one byte, then end of file
  Descriptor report_read, report_write;  // from the supervisor: see kCreated
  Descriptor alive;                      // kept open by PID 1 of the program's namespace
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

// Takes the status of the ended program; `wait` waits for its end. False: it is still running. With
// `wait`, also reaps orphans among the caller's children. `program` is the PID in the caller's
// namespace.
bool TakeStatus(Shared& shared, bool wait, const Launch& launch, pid_t program);

}  // namespace tare::run
