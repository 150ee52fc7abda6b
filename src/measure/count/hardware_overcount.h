// hardware_overcount.h: what a processor's counter of instructions counts besides instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/measured.h"
#include "machine/pmu/counter_errata.h"
#include "measure/count/ledger.h"

namespace tare::count {

// Counts of one program by the hardware, the kernel and an engine that sees each instruction.
struct OvercountInputs {
  Measured instructions;             // by the hardware, in user mode
  std::optional<double> interrupts;  // by the hardware; absent: not counted
  std::optional<double> cpu_seconds;
  std::optional<double> page_faults;
  std::optional<double> context_switches;
  std::uint64_t fldcw = 0;
  std::uint64_t other_control_loads = 0;  // fldenv, frstor
  std::uint64_t rep_instructions = 0;
  std::uint64_t rep_iterations = 0;
  bool rep_per_iteration = false;              // the engine counts iterations
  std::optional<pmu::X86Signature> processor;  // absent: not x86
};

// The surplus of the hardware's count by one cause, between two bounds; negative if it lacks
// something.
struct Overcount {
  Cause cause = Cause::kUnexplained;
  double value = 0;
  double low = 0;
  double high = 0;
};

struct CorrectedCount {
  std::vector<Overcount> causes;  // only those with a part
  Measured instructions;          // the hardware's count without the surplus
};

// After V. Weaver and S. McKee, "Can Hardware Performance Counters be Trusted?", sections 4.1 to
// 4.4 and A.3. Without interrupts, their number is bounded by the fastest timer of Linux (1000 Hz).
CorrectedCount CorrectOvercount(const OvercountInputs& inputs);

}  // namespace tare::count
