// mixed_loop.h: loops that mix memory accesses with other work, as programs do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "machine/microbenchmark/loop_row.h"

namespace tare::microbenchmark {

// One line per iteration, at the next place or at a random one, and independent integer additions.
struct LineLoop {
  bool random = false;
  unsigned additions = 0;  // per line, without those that compute the address
  LoopRow row;
  // `base` is aligned to 64 bytes; `mask` + 64 is the size of the set, a power of two.
  void (*run)(const std::byte* base, std::uint64_t mask, std::uint64_t iterations);
};
std::span<const LineLoop> LineLoops();

// Independent instructions in about the proportions of compiled integer code, with hits of the
// first cache and branches that are never taken.
struct InstructionMix {
  unsigned instructions;  // per iteration, all of them
  unsigned branches;
  LoopRow row;
  void (*run)(std::byte* place, std::uint64_t iterations);  // needs 64 bytes
};
const InstructionMix& MixedInstructions();

// Two loads for each store, all hits of the first cache.
const InstructionMix& LoadsWithStores();

// Stores a value and loads it again, which gives the value of the next store.
struct ForwardingChain {
  unsigned links;  // per iteration: a store and a load each
  LoopRow row;
  void (*run)(std::byte* place, std::uint64_t iterations);  // needs 8 bytes
};
const ForwardingChain& StoreForwarding();

}  // namespace tare::microbenchmark
