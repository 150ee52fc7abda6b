// memory_loop.h: loops that do nothing but access memory, at the rate that the machine sustains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "machine/microbenchmark/loop_row.h"
#include "machine/microbenchmark/walk.h"
#include "machine/profile/curve.h"

namespace tare::microbenchmark {

// The width of the widest vector register that this processor has, in bytes.
unsigned WidestVector();

// Of this architecture, also those that this processor cannot run.
std::span<const KernelRow> MemoryKernels();

// A loop bound to a working set. Between two runs it remembers where it is.
class MemoryLoop {
 public:
  // `set` is aligned to 64 bytes. Loops have elements of 8 bytes and of the vector registers of
  // this processor. A chained loop needs a Ring in it, from its first byte, and runs around that;
  // its element is 8 bytes, and an update writes the second word of each place. Refuses what this
  // processor cannot do and sets too small for one turn of the kernel (see LeastBytes).
  // `line_bytes`, a multiple of 64, decides how strided passes shift: pass after pass starts a line
  // further on, until all lines of the set were touched. Of a set that is no multiple of the stride
  // the rest is left out; where the elements of a pass are no multiple of 16, its last turn goes
  // over some of them again.
  static Result<MemoryLoop> Over(const machine_profile::CurveKey& key, std::span<std::byte> set,
                                 unsigned line_bytes);

  // Makes `accesses` or a few more, less than a turn; returns how many. Loads and stores both
  // count.
  std::uint64_t Run(std::uint64_t accesses);

 private:
  MemoryLoop(const MemoryKernel& kernel, const Walk& walk);

  Walk walk_;
  MemoryKernelFunction run_;
  std::uint64_t accesses_per_turn_;
};

// The least set on which a loop of that kind keeps its rate: one turn of its kernel.
std::uint64_t LeastBytes(const machine_profile::CurveKey& key);

}  // namespace tare::microbenchmark
