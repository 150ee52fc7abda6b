// process.h: one run of a program under control, from the search for its file to its end.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "measure/run/program.h"
#include "measure/run/setting.h"

namespace tare::run {

struct Ended {
  enum class How { kExited, kSignalled, kTimedOut };
  How how = How::kExited;
  // After a timeout either may be set: a program can catch SIGTERM and exit.
  int exit_status = 0;
  int signal = 0;
  bool core_dumped = false;
  // It was asked to end because Hooks::interrupted said so, or ended from the keyboard of the
  // terminal that it had been given.
  bool interrupted = false;

  // As a shell reports it: the exit status, or 128 + signal; 124 after a timeout.
  int ShellStatus() const;
};

// Of the program and those of its children that it has waited for. What the process used up before
// it became the program is taken off.
struct ResourceUse {
  double user_seconds = 0;
  double system_seconds = 0;
  // Absent when the program stayed below what this process itself had resident when it was forked:
  // the kernel counts that in.
  std::optional<std::uint64_t> max_resident_bytes;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
};

struct Finished {
  Ended ended;
  // CLOCK_MONOTONIC, from just before execve to the end of the wait, less the time at which the
  // program was held to be moved.
  double wall_seconds = 0;
  ResourceUse use;
  std::string output;  // what was captured
  std::string errors;
  std::vector<Caveat> caveats;
};

// All may be empty.
struct Hooks {
  // In the program's process, the last thing before execve. Calls only what is async-signal-safe.
  std::function<void()> in_program;

  // In this process: the program's process exists and waits. The number is the one it has here, not
  // Setting::process_id. A failure ends it before it becomes the program, and is what RunProgram
  // returns. A hook that traces the program leaves Setting::layout out and moves it itself: see
  // run/layout.h.
  std::function<Result<void>(pid_t program)> before_exec;

  // In the supervisor (a fork of this process, the program's parent, all signals blocked), instead
  // of plain waiting. Called while the program's process still waits: seize it, then call
  // `release`, and wait for its end. Returns its wait status. A wait for any child may also see
  // orphaned descendants of the program: reap and ignore them. Results go home in memory shared
  // before. The number is the one that the program has in the supervisor's view. Not together with
  // a layout.
  std::function<int(pid_t program, const std::function<void()>& release)> supervise;

  // Asked a few times a second and after each signal. Once it says true, the program's group gets
  // SIGINT; if it has not ended five graces later SIGTERM, and SIGKILL after one more.
  std::function<bool()> interrupted;
};

// Runs the program once. The program has a process group of its own and a parent of its own, the
// supervisor, so it can kill either without reaching this process. It inherits the signal mask of
// the calling thread, ignored signals, and all descriptors that are not close-on-exec. Descendants
// that outlive it are left alone, except that a timeout ends its whole group. When it returns,
// nothing of ours is left over. One call at a time in a process.
Result<Finished> RunProgram(const ResolvedProgram& program, const Setting& setting,
                            const Hooks& hooks = {});

}  // namespace tare::run
