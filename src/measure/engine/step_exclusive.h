// step_exclusive.h: runs AArch64 exclusive load/store sequences as a whole: each step takes an
// exception, and the exception return (ERET) clears the exclusive monitor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "measure/engine/step_process.h"
#include "measure/engine/step_registers.h"

namespace tare::engine {

// A breakpoint that ends the sequence: after the store, or where a branch leaves the sequence.
struct SequencePart {
  std::uint64_t start = 0;  // of the sequence
  std::uint64_t stop = 0;   // address of the breakpoint
  std::uint64_t leave = 0;  // pc of the last instruction before it
  std::array<std::byte, 4> code{};
};

struct SequenceStep {
  std::uint64_t pc;
  std::uint64_t next;
};

// Places the breakpoints for the sequence that begins at `pc`. False if it is not a short straight
// sequence that ends in an exclusive store.
bool BeginSequence(StepProcess& process, std::uint64_t pc, std::vector<SequencePart>& parts);

// Whether a thread with these registers stopped behind the sequence's store, which failed.
bool StoreFailed(StepProcess& process, const Registers& registers,
                 const std::vector<SequencePart>& parts);

// Removes the breakpoints. Returns the instructions that had run when the thread stopped at `pc`,
// at a breakpoint or by a signal. `parts` must not be empty.
std::vector<SequenceStep> FinishSequence(StepProcess& process, std::uint64_t pc,
                                         const std::vector<SequencePart>& parts);

}  // namespace tare::engine
