// branch_unit.h: predicts branches and counts mispredictions.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "base/result.h"
#include "model/core/bimodal.h"
#include "model/core/gselect.h"
#include "model/core/gshare.h"
#include "model/core/model_event.h"
#include "model/core/processor.h"
#include "model/core/return_stack.h"
#include "model/core/tage.h"
#include "model/core/target_buffer.h"

namespace tare::model {

// Fails (kUsage) with a sentence that names the invalid field.
Result<void> ValidateBranching(const Branching& branching);

// The number of low address bits that are always zero in this machine's instruction addresses.
unsigned AlignedInstructionBits();

// Branches without a predictor are not counted. All state is cleared at the start, so every run
// gives the same result.
class BranchUnit {
 public:
  // `branching` must be valid. `aligned_bits` is 2 on AArch64 and 0 on x86-64.
  explicit BranchUnit(const Branching& branching, unsigned aligned_bits = AlignedInstructionBits());

  // Returns whether the branch instruction at `address` was mispredicted, and updates the
  // predictor. Counts nothing.
  bool Mispredicts(std::uint64_t address, bool taken) {
    // Not std::visit, which calls through a table and is not inlined.
    if (auto* const gshare = std::get_if<Gshare>(&predictor_))
      return gshare->Mispredicts(address, taken);
    return MispredictsSlow(address, taken);
  }

  void Conditional(std::uint64_t address, bool taken, EventCounts& to) {
    if (Mispredicts(address, taken)) [[unlikely]]
      to.Add(Event::kConditionalMispredictions);
  }

  void IndirectJump(std::uint64_t address, std::uint64_t target, EventCounts& to) {
    if (targets_ && targets_->Mispredicts(address, target)) to.Add(Event::kIndirectMispredictions);
  }

  // For a direct call, or for an indirect one after IndirectJump.
  void Call(std::uint64_t return_address) {
    if (returns_) returns_->Push(return_address);
  }

  void Return(std::uint64_t target, EventCounts& to) {
    if (returns_ && returns_->Mispredicts(target)) to.Add(Event::kReturnMispredictions);
  }

 private:
  using Predictor = std::variant<std::monostate, Bimodal, Gshare, Gselect, Tage>;
  static Predictor Make(const Branching& branching, unsigned aligned_bits);

  bool MispredictsSlow(std::uint64_t address, bool taken);

  Predictor predictor_;
  std::optional<TargetBuffer> targets_;
  std::optional<ReturnStack> returns_;
};

}  // namespace tare::model
