// known_loop.h: loops with known event counts, against which every counter is tested.
#pragma once

#include <cstdint>
#include <string_view>

namespace tare::pmu {

// The operations of a loop that an event should count. kMispredictions has a separate loop.
enum class LoopPart {
  kNothing,
  kInstructions,
  kCycles,
  kBranches,
  kMispredictions,
  kLoads,
  kStores
};

// Each iteration of the plain loop is a load, a store, a subtraction and a conditional backward
// branch; no sanitizer instruments it. Each iteration for kMispredictions branches on an
// unpredictable bit.
void RunKnownLoop(LoopPart part, std::uint64_t iterations);

// Inclusive bounds. They differ where the count depends on the processor, and allow for interrupts.
struct KnownCount {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// The count that `iterations` additional iterations add. `part` is not kNothing.
KnownCount KnownCountOf(LoopPart part, std::uint64_t iterations);

}  // namespace tare::pmu
