// hardware_overcount.cc: one rule per cause.
#include "measure/count/hardware_overcount.h"

#include <algorithm>

namespace tare::count {
namespace {

constexpr std::string_view kIntelVendor = "GenuineIntel";
constexpr std::uint64_t kNetBurst = 15;      // the family of the Pentium 4
constexpr std::uint64_t kBetterCounter = 6;  // its first model with instr_completed
constexpr double kMaxTimerHz = 1000;         // the fastest CONFIG_HZ

bool IsNetBurst(const pmu::X86Signature& processor) {
  return processor.vendor == kIntelVendor && processor.family == kNetBurst;
}

// Section A.3: each interrupt adds one.
Overcount Interrupts(const OvercountInputs& inputs) {
  if (inputs.interrupts) {
    return {Cause::kInterrupts, *inputs.interrupts, *inputs.interrupts, *inputs.interrupts};
  }
  const double high = inputs.cpu_seconds.value_or(0) * kMaxTimerHz;
  return {Cause::kInterrupts, high / 2, 0, high};
}

// Section 4.3.1: each page fault adds one, except on a Pentium 4.
Overcount PageFaults(const OvercountInputs& inputs) {
  const double faults = IsNetBurst(*inputs.processor) ? 0 : inputs.page_faults.value_or(0);
  return {Cause::kPageFaults, faults, faults, faults};
}

// A switch ends with an interrupt, which is counted above, or with a system call. Whether it adds
// one of its own is not known.
Overcount ContextSwitches(const OvercountInputs& inputs) {
  const double high = inputs.context_switches.value_or(0);
  return {Cause::kContextSwitches, 0, 0, high};
}

// Section 4.1: a Pentium 4 counts fldcw twice. Its models from 6 on have a counter that does not.
// The document did not examine the other instructions that load the control word.
Overcount ControlLoads(const OvercountInputs& inputs) {
  if (!IsNetBurst(*inputs.processor)) return {Cause::kControlLoads, 0, 0, 0};
  const auto certain = static_cast<double>(inputs.fldcw);
  const auto possible = static_cast<double>(inputs.other_control_loads);
  const double low = inputs.processor->model >= kBetterCounter ? 0 : certain;
  return {Cause::kControlLoads, certain, low, certain + possible};
}

// Section 4.4.1: the processor counts a repeated string instruction once.
Overcount RepeatedStrings(const OvercountInputs& inputs) {
  if (!inputs.rep_per_iteration) return {Cause::kRepeatedStrings, 0, 0, 0};
  const double fewer =
      static_cast<double>(inputs.rep_instructions) - static_cast<double>(inputs.rep_iterations);
  return {Cause::kRepeatedStrings, fewer, fewer, fewer};
}

}  // namespace

CorrectedCount CorrectOvercount(const OvercountInputs& inputs) {
  CorrectedCount corrected;
  corrected.instructions = inputs.instructions;
  if (!inputs.processor || !inputs.instructions.value) return corrected;
  for (const auto rule : {Interrupts, PageFaults, ContextSwitches, ControlLoads}) {
    const Overcount one = rule(inputs);
    if (one.low != 0 || one.high != 0) corrected.causes.push_back(one);
  }
  double value = inputs.instructions.Value();
  double low = inputs.instructions.Low();
  double high = inputs.instructions.High();
  for (const Overcount& one : corrected.causes) {
    value -= one.value;
    low -= one.high;
    high -= one.low;
  }
  Measured& count = corrected.instructions;
  count.value = value;
  count.low = std::max(0.0, low);
  count.high = high;
  count.exact = false;
  // The convention of the engine is no error of the counter, so it stays out of the count.
  if (const Overcount rep = RepeatedStrings(inputs); rep.value != 0) {
    corrected.causes.push_back(rep);
  }
  return corrected;
}

}  // namespace tare::count
