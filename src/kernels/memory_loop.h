// memory_loop.h: loops that do nothing but access memory, at the rate that the machine sustains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rates/curve.h"

namespace tare::kernels {

// The width of the widest vector register that this processor has, in bytes.
unsigned WidestVector();

// A kernel and what one turn of its innermost loop does, which a test holds against its machine
// code.
struct KernelRow {
  std::string_view symbol;  // extern "C", not inlined
  unsigned element_bytes;
  unsigned loads;   // instructions of the innermost loop, paired ones counted as two elements
  unsigned stores;
};
// Of this architecture, also those that this processor cannot run.
std::span<const KernelRow> MemoryKernels();

// A loop bound to a working set. Between two runs it remembers where it is.
class MemoryLoop {
 public:
  // `set` is aligned to 64 bytes. A chained loop needs a Ring in it, from its first byte, and runs
  // around that. Refuses what this processor cannot do and sets too small for one turn of the
  // kernel (see LeastBytes). `line_bytes` decides how strided passes shift: pass after pass
  // starts a line further on, until all lines of the set were touched.
  static Result<MemoryLoop> Over(const rates::CurveKey& key, std::span<std::byte> set,
                                 unsigned line_bytes);

  // Makes `accesses` or a few more; returns how many. Loads and stores both count.
  std::uint64_t Run(std::uint64_t accesses);

 private:
  struct Work;
  using Kernel = void (*)(Work&);
  // For the one who writes memory_loop.cc to fill in.
};

// The least set on which a loop of that kind keeps its rate.
std::uint64_t LeastBytes(const rates::CurveKey& key);

}  // namespace tare::kernels
