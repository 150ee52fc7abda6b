// step_exclusive.cc: finds the extent of an exclusive sequence and runs it as a whole.
#include "measure/engine/step_exclusive.h"

#include <algorithm>

namespace tare::engine {
namespace {

// The Arm ARM guarantees forward progress only for short sequences; compilers emit none longer.
constexpr std::uint64_t kMaxInstructions = 16;

// stxr, stlxr, stxp, stlxp and their byte and halfword forms.
bool StoresExclusive(std::uint32_t word) {
  return (word & 0x3f400000) == 0x08000000 && (word & 0x00800000) == 0;
}

bool Place(StepProcess& process, SequencePart& part) {
  const Breakpoint breakpoint = BreakpointHere();
  if (!process.ReadMemory(part.stop, part.code)) return false;
  return process.WriteMemory(part.stop, std::as_bytes(std::span(&breakpoint.code, 1)));
}

}  // namespace

bool BeginSequence(StepProcess& process, std::uint64_t pc, std::vector<SequencePart>& parts) {
  std::vector<SequencePart> found;
  std::uint64_t at = pc;
  bool ended = false;
  for (std::uint64_t i = 0; i < kMaxInstructions && !ended; ++i, at += 4) {
    const Site* site = process.At(at);
    if (site == nullptr) return false;
    const auto& instruction = site->instruction;
    if (instruction.branch == decode::BranchKind::kConditional && instruction.target) {
      found.push_back({pc, *instruction.target, at, {}});
    } else if (instruction.branch != decode::BranchKind::kNone) {
      return false;
    }
    if (StoresExclusive(site->word)) {
      found.push_back({pc, at + 4, at, {}});
      ended = true;
    }
  }
  if (!ended) return false;
  const auto inside = [&](const SequencePart& part) { return part.stop >= pc && part.stop < at; };
  if (std::ranges::any_of(found, inside)) return false;
  for (SequencePart& part : found) {
    if (!Place(process, part)) return false;
  }
  parts = std::move(found);
  return true;
}

bool StoreFailed(StepProcess& process, const Registers& registers,
                 const std::vector<SequencePart>& parts) {
  const SequencePart& last = parts.back();
  const Site* store = registers.Pc() == last.stop ? process.At(last.leave) : nullptr;
  // Rs, bits 16 to 20: 1 if the store failed.
  return store != nullptr && registers.General(store->word >> 16 & 31) == 1;
}

std::vector<SequenceStep> FinishSequence(StepProcess& process, std::uint64_t pc,
                                         const std::vector<SequencePart>& parts) {
  std::vector<SequenceStep> way;
  // In reverse order, so that an address with two breakpoints gets its original code back.
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    process.WriteMemory(part->stop, part->code);
  }
  const std::uint64_t start = parts.front().start;
  const auto end = std::ranges::find(parts, pc, &SequencePart::stop);
  // No breakpoint matches: a signal arrived at `pc`, whose instruction has not run.
  if (end == parts.end() && (pc < start || pc > parts.back().leave)) return way;
  const std::uint64_t leave = end == parts.end() ? pc - 4 : end->leave;
  for (std::uint64_t at = start; at <= leave; at += 4) {
    way.push_back({at, at == leave ? pc : at + 4});
  }
  return way;
}

}  // namespace tare::engine
