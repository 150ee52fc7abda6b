// chain.h: a loop of dependent operations that no compiler can shorten.
#pragma once

#include <cstdint>

namespace tare::clock {

// Each step multiplies and adds the previous result. The time is proportional to `steps`: the loop
// accesses no memory and its branch is predictable.
[[gnu::always_inline]] inline std::uint64_t DependentChain(std::uint64_t value,
                                                           std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(value));
  }
  return value;
}

}  // namespace tare::clock
