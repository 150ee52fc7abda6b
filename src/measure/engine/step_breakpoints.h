// step_breakpoints.h: breakpoints at the region's first instruction, one in each process that runs
// without stepping until then.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "measure/engine/step_process.h"

namespace tare::engine {

class RegionBreakpoints {
 public:
  // False if the code cannot be written. Does nothing if the process already has its breakpoint.
  bool Place(StepProcess& process, std::uint64_t address);
  void Remove(StepProcess& process);
  // Removes the breakpoint from a forked child, which has a copy of its parent's code.
  void RemoveFromCopy(const StepProcess& parent, pid_t child) const;
  // Drops the process's breakpoint after execve(2), which replaces the code.
  void Forget(const StepProcess& process);

  // The breakpoint's address if a thread that stopped at `pc` has hit it.
  std::optional<std::uint64_t> StoppedAt(const StepProcess& process, std::uint64_t pc) const;

 private:
  struct SavedCode {
    std::uint64_t address = 0;
    std::array<std::byte, 4> code{};
  };
  std::map<const StepProcess*, SavedCode> saved_;
};

}  // namespace tare::engine
