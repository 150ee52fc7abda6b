// step_tracee.h: a thread that is stepped, and what one step of it adds.
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
  bool started = false;  // has become the program; before that nothing counts
  bool inside = true;    // of the region
  std::uint64_t frame = 0;
  std::uint64_t back = 0;
  bool own_frame = false;  // entered the region itself, and so can leave it
  // The step under way.
  bool stepping = false;
  // Behind a system call, execve above all, and with a signal a step may end before anything was
  // done.
  bool behind_call = false;
  bool injected = false;
  std::uint64_t pc = 0;
  std::uint64_t repetitions = 0;
  std::uint64_t repeating = 0;  // pc of the repeated instruction under way
  std::uint64_t call = 0;
  std::optional<Site> site;
  std::vector<SequencePart> sequence;  // run in one go up to a breakpoint
};

// Counts what the step from thread.pc to `now` did.
void Count(Thread& thread, std::uint64_t now);

// The thread stands at the region's first instruction.
void EnterRegion(Thread& thread, const Registers& registers);

// The thread has just done thread.site: was it the return from the region?
bool LeavesRegion(const Thread& thread, const Registers& registers);

// Whether the thread, while it runs, can come to a breakpoint of its process. A system call ends
// with a stop; a new process would have a copy of the breakpoints.
bool CanMeetBreakpoints(const Thread& thread);

// The system call that the thread is about to make becomes one that no kernel knows. No emulator
// has clone3: the C library makes its threads by clone there, and so under single steps.
void RefuseCall(pid_t id, Registers registers);

}  // namespace tare::engine
