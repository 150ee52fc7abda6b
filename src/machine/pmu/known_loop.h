// known_loop.h: loops of which is known how much they count, for every counter to be held against.
#pragma once

#include <cstdint>
#include <string_view>

namespace tare::pmu {

// What of a loop an event should see. kMispredictions has a loop of its own.
enum class LoopPart {
  kNothing,
  kInstructions,
  kCycles,
  kBranches,
  kMispredictions,
  kLoads,
  kStores
};

// Each turn of the plain loop is a load, a store, a subtraction and a conditional branch backwards;
// no sanitizer adds to it. Each turn for kMispredictions branches on a bit that no predictor knows.
void RunKnownLoop(LoopPart part, std::uint64_t turns);

// Both ends included. The ends differ where the processor is free, and by room for interrupts.
struct KnownCount {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// What so many turns more make more. The part is not kNothing.
KnownCount KnownCountOf(LoopPart part, std::uint64_t turns);

}  // namespace tare::pmu
