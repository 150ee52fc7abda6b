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

// What can fail between fork and execve.
enum class Step { kNone, kCore, kDirectory, kDescriptors, kExecute, kProcessId, kTrace, kLayout };

// Lies in memory that this process, the supervisor and the program's process share. execve unmaps
// it, so the program cannot reach it.
struct Shared {
  std::atomic<Step> failed_step{Step::kNone};
  std::atomic<int> failed_errno{0};
  std::atomic<int> randomization_errno{0};  // not 0: the kernel refused to switch it off
  std::atomic<int> directory_errno{0};      // not 0: the directory is a link, and no mount
  std::atomic<bool> end_group{false};       // SIGKILL to the program's group at its end
  std::atomic<bool> lingers{false};         // process 1 of the program's namespace stays
  std::atomic<int> stop_signal{0};          // that stopped the program last
  std::atomic<bool> had_terminal{false};    // the program's group was given the terminal

  std::atomic<pid_t> program{0};  // as this process sees it
  timespec started{};             // just before execve
  struct rusage before{};         // of the process until then
  timespec held_from{};           // both 0, or the time at which it stood still behind execve
  timespec held_to{};
  timespec ended{};
  struct rusage use{};
  int status = 0;                  // as from wait
  std::atomic<bool> taken{false};  // the three above are there
};

// All that the two processes need, made before fork: after it nothing may be allocated.
struct Launch {
  const char* path = nullptr;
  std::vector<char*> arguments;     // ends with a null pointer
  std::vector<char*> environment;   // ends with a null pointer
  const char* directory = nullptr;  // null: stay
  const char* behind_directory =
      nullptr;  // what is to be mounted at `directory`, or linked from there
  bool randomize = false;
  std::optional<bool> huge_pages;
  Layout layout;
  std::optional<pid_t> process_id;
  IdentityMaps maps;
  std::optional<unsigned> core;

  // What becomes descriptor 0, 1 and 2: a descriptor, kKeep or kClose.
  static constexpr int kKeep = -1;
  static constexpr int kClose = -2;
  std::array<int, 3> standard = {kKeep, kKeep, kKeep};

  sigset_t mask{};                     // the program's
  struct sigaction on_child_signal{};  // SIGCHLD, as it was

  // The controlling terminal, where there is one. The program gets it at once, or when it is
  // stopped for want of it: see Watch::AnswerStop.
  int terminal = -1;
  bool terminal_at_once = false;
  pid_t own_group = 0;

  const Hooks* hooks = nullptr;
  Shared* shared = nullptr;

  Descriptor go_read, go_write;          // this process to the supervisor: one byte, then the end
  Descriptor report_read, report_write;  // the supervisor to this process: see kCreated
  Descriptor alive;                      // held by process 1 of the program's namespace
};

// The supervisor's reports, in this order; a program can be stopped several times, or never.
inline constexpr char kCreated = 'c';
inline constexpr char kStopped = 's';
inline constexpr char kEnded = 'e';

// Call in the forked child, with all signals blocked. Makes the program's process, waits for the
// byte, releases the program, waits for its end, reports, and leaves when the pipe is closed. When
// the pipe is closed before the byte comes, the program's process is killed. With a process id the
// supervisor is process 1 of the program's namespace, a child of the forked one, and stays as long
// as there is anybody in it: they would die with it.
[[noreturn]] void Keep(Launch& launch);

// Takes the status of the program that has ended or, where `wait` is set, once it has. False: it
// still runs. Orphans among the caller's children are reaped on the way where `wait` is set.
// `program` is its number in the caller's view.
bool TakeStatus(Shared& shared, bool wait, const Launch& launch, pid_t program);

}  // namespace tare::run
