// memory_loop.h: loops that only access memory, at the rate that the machine sustains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "machine/microbenchmark/loop_row.h"
#include "machine/microbenchmark/walk.h"
#include "machine/profile/curve.h"

namespace tare::microbenchmark {

// The width in bytes of the widest vector register of this processor.
unsigned WidestVector();

// All of this architecture, including those that this processor cannot run.
std::span<const LoopRow> MemoryLoopRows();

// A loop over a working set. It keeps its position between runs.
class MemoryLoop {
 public:
  // `set` must be aligned to 64 bytes. Elements are 8 bytes or the width of a vector register of
  // this processor. A chained loop follows a Ring that starts at the first byte of `set`; its
  // element is 8 bytes, and an update writes the second word of each place. Fails for what this
  // processor does not support and for sets smaller than one iteration (see MinBytes).
  // `line_bytes`, a multiple of 64, is the shift of strided passes: each pass starts one line
  // further on, until all lines of the set have been accessed. The remainder of a set that is not a
  // multiple of the stride is not accessed. If the number of elements of a pass is not a multiple
  // of 16, its last iteration repeats some of them.
  static Result<MemoryLoop> Over(const machine_profile::CurveKey& key, std::span<std::byte> set,
                                 unsigned line_bytes);

  // Makes at least `accesses`, less than one iteration more; returns how many. Loads and stores
  // both count.
  std::uint64_t Run(std::uint64_t accesses);

 private:
  MemoryLoop(const MemoryMicrobenchmark& loop, const Walk& walk);

  Walk walk_;
  MemoryMicrobenchmarkFunction run_;
  std::uint64_t accesses_per_iteration_;
};

// The minimum set on which such a loop sustains its rate: one iteration.
std::uint64_t MinBytes(const machine_profile::CurveKey& key);

}  // namespace tare::microbenchmark
