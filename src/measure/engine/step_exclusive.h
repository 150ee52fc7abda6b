// step_exclusive.h: AArch64's exclusive loads and stores under single steps: each step loses the
// reservation, so the code between the two has to run in one go.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "measure/engine/step_process.h"

namespace tare::engine {

// A breakpoint that ends the run: behind the store, or where a branch leaves the sequence.
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

// Places the breakpoints for the sequence that begins at `pc`. False when it is not a short
// straight one that ends in an exclusive store.
bool BeginSequence(StepProcess& process, std::uint64_t pc, std::vector<SequencePart>& parts);

// Takes the breakpoints away; the instructions that were done when the thread stopped at `pc`, be
// it at a breakpoint or by a signal. `parts` is not empty.
std::vector<SequenceStep> FinishSequence(StepProcess& process, std::uint64_t pc,
                                         const std::vector<SequencePart>& parts);

}  // namespace tare::engine
