// loop_row.h: a microbenchmark, and the memory accesses of one iteration of its innermost loop.
#pragma once

#include <string_view>

// Precedes the definition of a microbenchmark: not inlined and not instrumented by sanitizers.
#define TARE_MICROBENCHMARK \
  extern "C" [[gnu::noinline]] __attribute__((no_sanitize("address", "undefined", "thread")))

namespace tare::microbenchmark {

// A test checks the row against the machine code.
struct LoopRow {
  std::string_view symbol;  // extern "C", not inlined
  unsigned element_bytes;   // scalable vectors: per 128 bits
  unsigned loads;           // elements per iteration of the innermost loop; a paired load has two
  unsigned stores;
};

}  // namespace tare::microbenchmark
