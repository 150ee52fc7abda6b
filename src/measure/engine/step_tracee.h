// step_tracee.h: the state of a stepped thread, and what one step counts.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "measure/engine/step_exclusive.h"
#include "measure/engine/step_process.h"
#include "measure/engine/step_registers.h"

namespace tare::engine {

struct Thread {
  std::shared_ptr<StepProcess> process;
  std::optional<unsigned> bank;
  bool started = false;  // has executed the program; nothing counts before that
  bool inside = true;    // inside the region
  std::uint64_t frame = 0;
  std::uint64_t back = 0;
  bool own_frame = false;  // entered the region itself, so its return leaves the region
  // The current step.
  bool stepping = false;
  // After a system call, especially execve, and when a signal is injected, a step can end before
  // the instruction has run.
  bool behind_call = false;
  bool injected = false;
  std::uint64_t pc = 0;
  std::uint64_t repetitions = 0;
  std::uint64_t repeating = 0;  // pc of the rep-prefixed instruction in progress
  std::uint64_t call = 0;
  std::optional<Site> site;
  std::vector<SequencePart> sequence;  // runs without stepping to one of these breakpoints
  Registers before;                    // the sequence
  int failed_stores = 0;               // of the sequence, one after the other
};

// Counts the step from thread.pc to `now`, and passes the instruction to `on_step` unless that is
// empty or the instruction only repeats.
void Count(Thread& thread, std::uint64_t now, const OnStep& on_step);

// Runs the thread's exclusive sequence again, uncounted, if its store has failed: while the other
// threads of the process wait, a store fails because the thread was preempted, which says nothing
// about the program and would make its counts differ from run to run. False if not.
bool RepeatSequence(pid_t id, Thread& thread, const Registers& registers);

// Call when the thread is at the region's first instruction.
void EnterRegion(Thread& thread, const Registers& registers);

// Whether thread.site, which has just run, returned from the region.
bool LeavesRegion(const Thread& thread, const Registers& registers);

// Whether the running thread can hit a breakpoint of its process. A system call ends with a stop. A
// new process would have a copy of the breakpoints.
bool CanMeetBreakpoints(const Thread& thread);

// Replaces the number of the system call that the thread is about to make with an unknown one,
// which fails with ENOSYS. The emulators lack clone3(2), so the C library falls back to clone(2)
// there; this makes it do the same under stepping.
void RefuseCall(pid_t id, Registers registers);

}  // namespace tare::engine
