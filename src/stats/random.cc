// random.cc: xoshiro256** and unbiased bounded numbers.
#include "stats/random.h"

#include <bit>

#include "base/check.h"

namespace tare::stats {

Generator::Generator(std::uint64_t seed) {
  for (std::uint64_t& word : state_) {
    seed += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = seed;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    word = mixed ^ (mixed >> 31);
  }
}

std::uint64_t Generator::Next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Generator::Below(std::uint64_t bound) {
  CHECK(bound > 0);
  // Takes just enough high bits to represent the bound and redraws values that are too large, so
  // that every number is equally likely.
  const int unused = std::countl_zero(bound | 1);
  while (true) {
    const std::uint64_t drawn = Next() >> unused;
    if (drawn < bound) return drawn;
  }
}

double Generator::Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

}  // namespace tare::stats
