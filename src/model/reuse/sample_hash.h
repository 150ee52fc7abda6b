// sample_hash.h: the hash that decides which lines and pages are sampled.
#pragma once

#include <cstdint>

namespace tare::reuse {

inline constexpr unsigned kSampleHashBits = 24;

// The finalizer of splitmix64: keys at regular distances are sampled as if at random.
inline std::uint64_t SampleHash(std::uint64_t key) {
  key = (key ^ key >> 30) * 0xbf58'476d'1ce4'e5b9;
  key = (key ^ key >> 27) * 0x94d0'49bb'1331'11eb;
  return key >> (64 - kSampleHashBits);
}

}  // namespace tare::reuse
