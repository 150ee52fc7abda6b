// streams.h: whole arrays moved: copy, triad, and stores that pass the caches by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "machine/microbenchmark/loop_row.h"

namespace tare::microbenchmark {

// Arrays of equal length, aligned to 64 bytes, their length a multiple of 1024 and not 0.
struct Arrays {
  std::span<std::byte> a;
  std::span<std::byte> b;
  std::span<std::byte> c;
};

// Copies put `a` into `b`, a triad b + 3 * c into `a` (numbers of 64 bits), stores 0 into `a`.
struct Stream {
  std::string_view name;    // "copy", "triad", "copy streaming", "store streaming", "copy string"
  unsigned bytes_per_byte;  // bytes loaded and stored for each byte of an array, as STREAM counts
  KernelRow kernel;
  void (*run)(const Arrays& arrays);  // once over the arrays
};

// With the widest vector of this processor (NEON on AArch64); "streaming" ones where there are such
// stores.
std::vector<Stream> Streams();

// Of this architecture, also those that this processor cannot run.
std::vector<Stream> AllStreams();

}  // namespace tare::microbenchmark
