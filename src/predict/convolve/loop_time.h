// loop_time.h: the time of one loop on one machine, and what bounds it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predict/convolve/loop_work.h"
#include "predict/convolve/machine_rates.h"

namespace tare::convolve {

// Lines that one level serves, by what the core knows about the next address.
struct ServedLines {
  double stream = 0;
  double filled = 0;  // lines of a stream of stores that need not be loaded
  double strided = 0;
  double random = 0;
  double chained = 0;
  double written = 0;  // modified lines that end here, filled ones included
};

// How a loop uses the memory of a machine.
struct LoopUse {
  std::vector<ServedLines> levels;  // the first cache, whose hits cost no line, has none
  std::vector<double> tlb_misses;
  double chained_share = 0;  // of all lines
  double load_streams = 0;   // different ones that bring lines to the first cache
};

// Which end of the intervals of hit rates.
enum class HitRates { kExpected, kFewMisses, kManyMisses };

// For all loops, in their order.
std::vector<LoopUse> UsesOf(const SignatureWork& work, const MachineRates& rates,
                            HitRates hit_rates = HitRates::kExpected);

enum class Limit {
  kInstructions,
  kLoads,
  kStores,
  kAccesses,  // loads and stores together
  kBranches,
  kIntegers,
  kFloats,  // and vector integers, which share the units
  kDivisions,
  kChain,
  kStream,
  kRandom,
  kLatency,
  kWalks,
  kMispredictions,
};

// In seconds of the whole run.
struct LoopTime {
  double throughput = 0;  // the busiest unit of the core
  double chain = 0;       // dependences through registers, hits of the first cache
  double accesses = 0;    // loads and stores during which no line arrives
  double lines = 0;       // moving lines between levels
  double latency = 0;     // lines whose addresses are in the line before, with their page walks
  double walks = 0;       // other page walks
  double mispredictions = 0;
  double waits = 0;  // of mispredicted branches for random lines
  double total = 0;  // by the model
  Limit limit = Limit::kInstructions;
  std::size_t level = 0;  // for kStream, kRandom and kLatency

  // A chain waits for its lines and its operations in turn.
  double Arithmetic() const;
  double Memory() const;
};

enum class Model {
  kOverlap,  // memory and arithmetic hide each other, up to the machine's overlap constant
  kSum,      // nothing hides anything
  kMax,      // everything hides everything; the lower bound of the overlap model
};

// Costs that are not numbers make the result not a number, when the loop needs them.
LoopTime TimeOf(const LoopWork& work, const LoopUse& use, const Costs& costs, Model model);

// "stream from memory", "dependence chain".
std::string LimitText(const LoopTime& time, std::span<const std::string> level_names);

}  // namespace tare::convolve
