// step_tracee.cc: converts one step to counts.
#include "measure/engine/step_tracee.h"

#include "measure/engine/step_traps.h"

namespace tare::engine {

bool Count(Thread& thread, std::uint64_t now) {
  const decode::Instruction& instruction = thread.site->instruction;
  const bool again = instruction.repeated && thread.repeating == thread.pc;
  thread.repeating = instruction.repeated && now == thread.pc ? thread.pc : 0;
  if (!thread.inside || !thread.bank || thread.site->index == TARE_WIRE_NO_BLOCK) return false;
  tare_wire_counters& counters = thread.process->Counters(*thread.site, *thread.bank);
  if (!again) ++counters.executions;
  if (instruction.repeated && thread.repetitions != 0) ++counters.second;
  if (instruction.branch == decode::BranchKind::kConditional &&
      now == thread.pc + instruction.length) {
    ++counters.second;
  }
  return !again;
}

void EnterRegion(Thread& thread, const Registers& registers) {
  thread.inside = true;
  thread.own_frame = true;
  thread.frame = registers.Stack();
  thread.back = registers.Link();
  if (thread.back == 0) {
    thread.process->ReadMemory(thread.frame, std::as_writable_bytes(std::span(&thread.back, 1)));
  }
  if (thread.process->recorded()) ++thread.process->header()->region_entries;
}

bool LeavesRegion(const Thread& thread, const Registers& registers) {
  return thread.inside && thread.own_frame &&
         thread.site->instruction.branch == decode::BranchKind::kReturn &&
         registers.Pc() == thread.back && registers.Stack() >= thread.frame;
}

bool CanMeetBreakpoints(const Thread& thread) {
  const bool in_call = thread.site && thread.site->instruction.system_call;
  return thread.stepping && (!in_call || MakesProcess(thread.call));
}

void RefuseCall(pid_t id, Registers registers) {
  constexpr std::uint64_t kUnknown = 4095;
  registers.SetCallNumber(kUnknown);
  registers.Write(id);
}

}  // namespace tare::engine
