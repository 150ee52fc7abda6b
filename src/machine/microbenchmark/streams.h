// streams.h: bandwidth loops over whole arrays: copy, triad and non-temporal stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "machine/microbenchmark/loop_row.h"

namespace tare::microbenchmark {

// Arrays of equal length, aligned to 64 bytes; the length is a nonzero multiple of 1024.
struct Arrays {
  std::span<std::byte> a;
  std::span<std::byte> b;
  std::span<std::byte> c;
};

// A copy writes `a` to `b`; a triad writes b + 3 * c to `a` (64-bit numbers); a store writes 0 to
// `a`.
struct Stream {
  std::string_view name;    // "copy", "triad", "copy streaming", "store streaming", "copy string"
  unsigned bytes_per_byte;  // bytes loaded and stored per byte of an array, counted as in STREAM
  LoopRow loop;
  void (*run)(const Arrays& arrays);  // one pass over the arrays
};

// Uses the widest vectors of this processor (NEON on AArch64); "streaming" ones only where
// non-temporal stores exist.
std::vector<Stream> Streams();

// All of this architecture, including those that this processor cannot run.
std::vector<Stream> AllStreams();

}  // namespace tare::microbenchmark
