// stopped_start.cc: PTRACE_SEIZE, the PTRACE_EVENT_EXEC stop, and PTRACE_DETACH.
#include "measure/run/stopped_start.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <time.h>

#include <cerrno>

#include "measure/run/injected_call.h"
#include "measure/run/layout.h"

namespace tare::run {
namespace {

void NoteFailure(const Launch& launch, Step step, int error_number) {
  launch.shared->failed_errno = error_number;
  launch.shared->failed_step = step;
}

// 0 at the PTRACE_EVENT_EXEC stop; ESRCH if the process ends without one. Passes signals and stops
// on.
int AwaitStart(pid_t program) {
  while (true) {
    TraceStop stop;
    if (const int failed = AwaitStop(program, stop)) return failed;
    if (stop.event == PTRACE_EVENT_EXEC) return 0;
    const bool group_stop = stop.event == PTRACE_EVENT_STOP && stop.signal != SIGTRAP;
    const long signal = stop.event == 0 ? stop.signal : 0;
    if (::ptrace(group_stop ? PTRACE_LISTEN : PTRACE_CONT, program, nullptr, signal) != 0) {
      return errno;
    }
  }
}

}  // namespace

bool TraceToStart(const Launch& launch, pid_t program) {
  // EXITKILL: without it, a program whose tracer dies part way would continue with the registers of
  // an injected call.
  constexpr long kOptions = PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (::ptrace(PTRACE_SEIZE, program, nullptr, kOptions) == 0) return true;
  NoteFailure(launch, Step::kTrace, errno);
  return false;
}

void MoveAtStart(const Launch& launch, pid_t program) {
  Shared& shared = *launch.shared;
  int failed = AwaitStart(program);
  if (failed == ESRCH) return;
  ::clock_gettime(CLOCK_MONOTONIC, &shared.stopped_from);
  if (failed == 0) failed = MoveMemory(program, launch.layout);
  if (failed == 0) failed = MoveStack(program, launch.layout.stack_bytes);
  ::clock_gettime(CLOCK_MONOTONIC, &shared.stopped_until);
  if (failed == 0 && ::ptrace(PTRACE_DETACH, program, nullptr, nullptr) != 0) failed = errno;
  if (failed == 0 || failed == ESRCH) return;
  NoteFailure(launch, Step::kLayout, failed);
  ::kill(program, SIGKILL);
}

}  // namespace tare::run
