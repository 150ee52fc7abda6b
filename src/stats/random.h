// random.h: a pseudo-random number generator with the same sequence on every machine.
#pragma once

#include <cstdint>

namespace tare::stats {

// xoshiro256** (Blackman and Vigna 2021), seeded through splitmix64. The distributions of the
// standard library differ between implementations, so none of them is used.
class Generator {
 public:
  explicit Generator(std::uint64_t seed);

  std::uint64_t Next();

  // Uniform in [0, bound); `bound` must not be 0.
  std::uint64_t Below(std::uint64_t bound);

  // Uniform in [0, 1), a multiple of 2^-53.
  double Unit();

 private:
  std::uint64_t state_[4];
};

}  // namespace tare::stats
