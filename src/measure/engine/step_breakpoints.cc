// step_breakpoints.cc: writes and restores breakpoint instructions.
#include "measure/engine/step_breakpoints.h"

#include <span>

#include "measure/engine/step_registers.h"

namespace tare::engine {

bool RegionBreakpoints::Place(StepProcess& process, std::uint64_t address) {
  const auto known = saved_.find(&process);
  if (known != saved_.end() && known->second.address == address) return true;
  const Breakpoint breakpoint = BreakpointHere();
  SavedCode saved;
  saved.address = address;
  if (!process.ReadMemory(address, std::span(saved.code).first(breakpoint.bytes))) return false;
  if (!process.WriteMemory(address,
                           std::as_bytes(std::span(&breakpoint.code, 1)).first(breakpoint.bytes))) {
    return false;
  }
  saved_[&process] = saved;
  return true;
}

void RegionBreakpoints::Remove(StepProcess& process) {
  const auto found = saved_.find(&process);
  if (found == saved_.end()) return;
  process.WriteMemory(found->second.address,
                      std::span(found->second.code).first(BreakpointHere().bytes));
  saved_.erase(found);
}

void RegionBreakpoints::RemoveFromCopy(const StepProcess& parent, pid_t child) const {
  const auto found = saved_.find(&parent);
  if (found == saved_.end()) return;
  const StepProcess copy(child, "", std::nullopt);
  copy.WriteMemory(found->second.address,
                   std::span(found->second.code).first(BreakpointHere().bytes));
}

void RegionBreakpoints::Forget(const StepProcess& process) { saved_.erase(&process); }

std::optional<std::uint64_t> RegionBreakpoints::StoppedAt(const StepProcess& process,
                                                          std::uint64_t pc) const {
  const auto found = saved_.find(&process);
  if (found == saved_.end()) return std::nullopt;
  const std::uint64_t address = found->second.address;
  if (pc != address + BreakpointHere().stops_after) return std::nullopt;
  return address;
}

}  // namespace tare::engine
