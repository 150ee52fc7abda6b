// loop_row.h: a kernel, and what one turn of its innermost loop does.
#pragma once

#include <string_view>

// Before the definition of a kernel: a function of its own, into which no sanitizer puts checks.
#define TARE_KERNEL \
  extern "C" [[gnu::noinline]] __attribute__((no_sanitize("address", "undefined", "thread")))

namespace tare::microbenchmark {

// A test holds it against the machine code.
struct KernelRow {
  std::string_view symbol;  // extern "C", not inlined
  unsigned element_bytes;   // of vectors whose width the processor chooses: for each 128 bits
  unsigned loads;           // elements in one turn of the innermost loop; a paired load has two
  unsigned stores;
};

}  // namespace tare::microbenchmark
