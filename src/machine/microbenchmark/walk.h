// walk.h: what a kernel of a MemoryLoop needs to go on, and the table of all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "machine/microbenchmark/loop_row.h"
#include "machine/profile/curve.h"

namespace tare::microbenchmark {

// Kernels keep `at`, `start` and `states` up to date and change nothing else here.
struct Walk {
  std::byte* base;          // of the working set
  std::byte* at;            // where the next turn begins
  std::byte* start;         // where this pass began
  std::uint64_t last;       // from `start` to where the last turn of a pass begins
  std::uint64_t stride;     // bytes from one element to the next; random: of an element
  std::uint64_t shift;      // bytes from one start to the next
  std::byte* shift_end;     // behind the last start; then comes `base` again
  std::uint64_t span;       // bytes that random accesses fall into
  std::uint64_t states[4];  // of the generators of random addresses; odd
  std::uint64_t value;      // what stores write, in each 8 bytes
};

// Turns are 1 or more.
using MemoryKernelFunction = void (*)(Walk& walk, std::uint64_t turns);

struct MemoryKernel {
  KernelRow row;
  machine_profile::Access access;
  machine_profile::Pattern pattern;
  bool any_stride;    // false: stride one alone
  unsigned elements;  // of one turn
  bool scalable;      // its elements have ScalableBytes()
  MemoryKernelFunction run;
};

// Elements in one turn of the kernels for any stride, of random and of chained ones.
inline constexpr unsigned kStridedElements = 16;
inline constexpr unsigned kRandomElements = 8;
inline constexpr unsigned kChainedElements = 16;

// For `element_bytes` in the rows of kernels with scalable elements: tare::decode counts their
// bytes for each 128 bits.
inline constexpr unsigned kScalable = 0;

constexpr MemoryKernel KernelOf(std::string_view symbol, machine_profile::Access access,
                                machine_profile::Pattern pattern, bool any_stride,
                                unsigned element_bytes, unsigned elements,
                                MemoryKernelFunction run) {
  const KernelRow row = {symbol, element_bytes == kScalable ? 16 : element_bytes,
                         access == machine_profile::Access::kStore ? 0 : elements,
                         access == machine_profile::Access::kLoad ? 0 : elements};
  return {row, access, pattern, any_stride, elements, element_bytes == kScalable, run};
}

constexpr MemoryKernel SequentialKernel(std::string_view symbol, machine_profile::Access access,
                                        unsigned element_bytes, unsigned elements,
                                        MemoryKernelFunction run) {
  return KernelOf(symbol, access, machine_profile::Pattern::kStrided, false, element_bytes,
                  elements, run);
}

constexpr MemoryKernel ElementKernel(std::string_view symbol, machine_profile::Access access,
                                     machine_profile::Pattern pattern, unsigned element_bytes,
                                     unsigned elements, MemoryKernelFunction run) {
  return KernelOf(symbol, access, pattern, pattern == machine_profile::Pattern::kStrided,
                  element_bytes, elements, run);
}

// x = x * this, modulo 2^64, is the generator of random addresses: an address is the high half of
// x * span (Steele and Vigna 2021, "Computationally easy, spectrally good multipliers").
inline constexpr std::uint64_t kMultiplier = 0xf1357aea2e62a9c5;

// Of this architecture.
std::span<const MemoryKernel> MemoryKernelTable();

// The width of vector registers that the processor chooses (SVE); 0 where there are none.
unsigned ScalableBytes();

// Whether this processor has registers of that many bytes. 8 is always there.
bool HasElement(unsigned element_bytes);

}  // namespace tare::microbenchmark
