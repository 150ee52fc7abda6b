// chain.h: work of known shape that no compiler can shorten.
#pragma once

#include <cstdint>

namespace tare::clock {

// Each step multiplies and adds the result of the one before, so its time grows with `steps` and
// nothing else: no memory, no branch that varies.
[[gnu::always_inline]] inline std::uint64_t DependentChain(std::uint64_t value,
                                                           std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(value));
  }
  return value;
}

}  // namespace tare::clock
