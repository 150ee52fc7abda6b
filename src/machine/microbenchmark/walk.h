// walk.h: the state of a memory microbenchmark, and the table of all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "machine/microbenchmark/loop_row.h"
#include "machine/profile/curve.h"

namespace tare::microbenchmark {

// Microbenchmarks update `at`, `start` and `states` only.
struct Walk {
  std::byte* base;          // of the working set
  std::byte* at;            // start of the next iteration
  std::byte* start;         // start of this pass
  std::uint64_t last;       // offset from `start` of the last iteration of a pass
  std::uint64_t stride;     // bytes between consecutive elements; random: bytes of an element
  std::uint64_t shift;      // bytes between the starts of consecutive passes
  std::byte* shift_end;     // end of the range of starts; `base` follows
  std::uint64_t span;       // bytes of the range of random accesses
  std::uint64_t states[4];  // of the generators of random addresses; odd
  std::uint64_t value;      // what stores write, in each 8 bytes
};

// `iterations` is 1 or more.
using MemoryMicrobenchmarkFunction = void (*)(Walk& walk, std::uint64_t iterations);

struct MemoryMicrobenchmark {
  LoopRow row;
  machine_profile::Access access;
  machine_profile::Pattern pattern;
  bool any_stride;    // false: stride 1 only
  unsigned elements;  // per iteration
  bool scalable;      // its elements are ScalableBytes() wide
  MemoryMicrobenchmarkFunction run;
};

// Elements per iteration of the strided, random and chained microbenchmarks.
inline constexpr unsigned kStridedElements = 16;
inline constexpr unsigned kRandomElements = 8;
inline constexpr unsigned kChainedElements = 16;

// `element_bytes` in the rows of scalable vectors: tare::decode counts their bytes per 128 bits.
inline constexpr unsigned kScalable = 0;

constexpr MemoryMicrobenchmark MicrobenchmarkOf(std::string_view symbol,
                                                machine_profile::Access access,
                                                machine_profile::Pattern pattern, bool any_stride,
                                                unsigned element_bytes, unsigned elements,
                                                MemoryMicrobenchmarkFunction run) {
  const LoopRow row = {symbol, element_bytes == kScalable ? 16 : element_bytes,
                       access == machine_profile::Access::kStore ? 0 : elements,
                       access == machine_profile::Access::kLoad ? 0 : elements};
  return {row, access, pattern, any_stride, elements, element_bytes == kScalable, run};
}

constexpr MemoryMicrobenchmark SequentialMicrobenchmark(std::string_view symbol,
                                                        machine_profile::Access access,
                                                        unsigned element_bytes, unsigned elements,
                                                        MemoryMicrobenchmarkFunction run) {
  return MicrobenchmarkOf(symbol, access, machine_profile::Pattern::kStrided, false, element_bytes,
                          elements, run);
}

constexpr MemoryMicrobenchmark ElementMicrobenchmark(std::string_view symbol,
                                                     machine_profile::Access access,
                                                     machine_profile::Pattern pattern,
                                                     unsigned element_bytes, unsigned elements,
                                                     MemoryMicrobenchmarkFunction run) {
  return MicrobenchmarkOf(symbol, access, pattern, pattern == machine_profile::Pattern::kStrided,
                          element_bytes, elements, run);
}

// The generator of random addresses is x = x * kMultiplier modulo 2^64; an address is the high half
// of x * span (Steele and Vigna 2021, "Computationally easy, spectrally good multipliers").
inline constexpr std::uint64_t kMultiplier = 0xf1357aea2e62a9c5;

// All of this architecture.
std::span<const MemoryMicrobenchmark> MemoryMicrobenchmarkTable();

// The width of scalable vector registers (SVE) in bytes; 0 where there are none.
unsigned ScalableBytes();

// Whether this processor has registers of that many bytes. Always true for 8.
bool HasElement(unsigned element_bytes);

}  // namespace tare::microbenchmark
