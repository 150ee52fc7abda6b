// step_tracee.cc: converts one step to counts.
#include "measure/engine/step_tracee.h"

#include <sys/ptrace.h>

#include <algorithm>

#include "measure/engine/step_traps.h"

namespace tare::engine {

namespace {

// Another process may hold the memory; then the program sees that the store failed.
constexpr int kMaxFailedStores = 100;

void PassOn(const Thread& thread, const OnStep& on_step) {
  const tare_wire_header& header = *thread.process->header();
  const Site& site = *thread.site;
  const auto length = std::min<std::size_t>(site.instruction.length, site.code.size());
  on_step({.process = header.process,
           .generation = header.generation,
           .thread = *thread.bank + 1u,
           .address = thread.pc,
           .block = site.index,
           .instruction = site.instruction,
           .code = std::span<const std::byte>(site.code).first(length)});
}

}  // namespace

void Count(Thread& thread, std::uint64_t now, const OnStep& on_step) {
  const decode::Instruction& instruction = thread.site->instruction;
  const bool again = instruction.repeated && thread.repeating == thread.pc;
  thread.repeating = instruction.repeated && now == thread.pc ? thread.pc : 0;
  if (!thread.inside || !thread.bank || thread.site->index == TARE_WIRE_NO_BLOCK) return;
  tare_wire_counters& counters = thread.process->Counters(*thread.site, *thread.bank);
  if (!again) ++counters.executions;
  if (instruction.repeated && thread.repetitions != 0) ++counters.second;
  if (instruction.branch == decode::BranchKind::kConditional &&
      now == thread.pc + instruction.length) {
    ++counters.second;
  }
  if (!again && on_step) PassOn(thread, on_step);
}

bool RepeatSequence(pid_t id, Thread& thread, const Registers& registers) {
  if (thread.sequence.empty() || thread.failed_stores == kMaxFailedStores ||
      !StoreFailed(*thread.process, registers, thread.sequence)) {
    thread.failed_stores = 0;
    return false;
  }
  ++thread.failed_stores;
  return thread.before.Write(id) && ptrace(PTRACE_CONT, id, nullptr, nullptr) == 0;
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
