// step_breakpoints.h: breakpoints at the region's first instruction, one in each process that runs
// freely up to there.
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
  // False when the code cannot be written. One that is there already stays.
  bool Place(StepProcess& process, std::uint64_t address);
  void Remove(StepProcess& process);
  // A forked child has a copy of the code, breakpoint and all.
  void RemoveFromCopy(const StepProcess& parent, pid_t child) const;
  // The process has become another program.
  void Forget(const StepProcess& process);

  // The breakpoint's address when a thread that stopped at `pc` has met it.
  std::optional<std::uint64_t> StoppedAt(const StepProcess& process, std::uint64_t pc) const;

 private:
  struct SavedCode {
    std::uint64_t address = 0;
    std::array<std::byte, 4> code{};
  };
  std::map<const StepProcess*, SavedCode> saved_;
};

}  // namespace tare::engine
