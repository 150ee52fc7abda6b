// process.h: one run of a program in a controlled setup.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "base/stop.h"
#include "measure/run/output_digest.h"
#include "measure/run/program.h"
#include "measure/run/setting.h"

namespace tare::run {

struct Ended {
  enum class How { kExited, kSignalled, kTimedOut };
  How how = How::kExited;
  // Either may be set after a timeout: a program can catch SIGTERM and exit.
  int exit_status = 0;
  int signal = 0;
  bool core_dumped = false;
  // Hooks::interrupted requested the end, or a key of the terminal that the program owned caused
  // it.
  bool interrupted = false;

  // The status that a shell reports: the exit status, or 128 + signal; 124 after a timeout.
  int ShellStatus() const;
  // "exited with status 3" or "was killed by signal 11 (SIGSEGV)"; empty after success or a
  // timeout.
  std::string Failure() const;
};

// Resource use of the program and of the children that it waited for (getrusage(2)), minus what the
// process used before execve.
struct ResourceUse {
  double user_seconds = 0;
  double system_seconds = 0;
  // Absent if the program stayed below this process's resident size at the fork, because ru_maxrss
  // survives execve.
  std::optional<std::uint64_t> max_resident_bytes;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
};

struct Finished {
  Ended ended;
  // CLOCK_MONOTONIC, from just before execve to the end of the wait, minus the time during which
  // the program was stopped to apply the layout.
  double wall_seconds = 0;
  ResourceUse use;
  std::string output;  // if captured
  std::string errors;
  std::optional<OutputDigest> output_digest;  // if digested
  std::vector<Caveat> caveats;
};

class StandingSupervisor;

// All may be empty.
struct Hooks {
  // Called in the program's process directly before execve. Must be async-signal-safe.
  std::function<void()> in_program;

  // Called in this process while the program's process exists and waits. The PID is the one in this
  // process's namespace, not Setting::process_id. A failure ends the process before execve and is
  // returned by RunProgram. A hook that traces the program must clear Setting::layout and apply the
  // layout itself: see run/layout.h.
  std::function<Result<void>(pid_t program)> before_exec;

  // Called in the supervisor (a fork of this process, the program's parent, all signals blocked)
  // instead of a plain wait, while the program's process still waits. It must seize the process,
  // call `release`, wait for the end and return the wait status. Waiting for any child may also
  // report orphaned descendants of the program: reap and ignore them. Results must go to memory
  // that was shared before the fork. The PID is the one in the supervisor's namespace. Not
  // compatible with a layout.
  std::function<int(pid_t program, const std::function<void()>& release)> supervise;

  // Polled a few times per second and after each signal. Once it returns true, the program's
  // process group gets SIGINT, SIGTERM five grace periods later, and SIGKILL one more grace period
  // later.
  StopAsked interrupted;

  // Supervises this run and the next ones, if it can; see standing_supervisor.h. Otherwise the run
  // has a supervisor of its own.
  StandingSupervisor* standing = nullptr;
};

// Runs the program once. The program has its own process group and its own parent, the supervisor,
// so it can kill either without reaching this process. It inherits the signal mask of the calling
// thread, ignored signals, and all descriptors that are not close-on-exec. Descendants that outlive
// it keep running, except that a timeout ends its whole group. On return, no process or file of
// tare is left, except a standing supervisor. At most one call at a time per process.
Result<Finished> RunProgram(const ResolvedProgram& program, const Setting& setting,
                            const Hooks& hooks = {});

}  // namespace tare::run
