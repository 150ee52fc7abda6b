// discover_walk.h: dependent loads of random places, in an order that never repeats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "machine/clock/clock.h"

namespace tare::survey {

// A slot is not larger than any cache line, a block not larger than any page, so steps of these
// sizes find them all.
inline constexpr std::uint64_t kSlotBytes = 64;
inline constexpr std::uint64_t kBlockBytes = 4096;

// Place i is at i * spacing plus one of `slots` slots, so that places on many pages spread over all
// sets of a cache. `slots` is a power of two, and slots * kSlotBytes <= spacing unless it is 1.
struct Grid {
  std::uint64_t places = 0;
  std::uint64_t spacing = 0;
  std::uint64_t slots = 1;

  std::uint64_t Bytes() const { return places * spacing; }
};

// Each place is drawn uniformly and independently. So with k lines that share a set of w ways, a
// load hits with probability min(1, w / k) under any replacement policy, and prefetchers find no
// sequence to learn. All memory must contain zeros: the loaded value is added to the next address.
class RandomWalk {
 public:
  explicit RandomWalk(std::uint64_t seed);

  // Seconds per load.
  double Over(const std::byte* base, const Grid& grid, std::uint64_t loads);

  // The same over all slots of blocks of kBlockBytes at any addresses.
  double Over(std::span<const std::byte* const> blocks, std::uint64_t loads);

  // Two loads per place: first at `distance` bytes, then at its start. Seconds per pair.
  double Pairs(const std::byte* base, const Grid& grid, std::uint64_t distance,
               std::uint64_t pairs);

  // Ticks of `clock` for each of `loads` loads, including the clock reading. The clock must be
  // available and ordered.
  std::vector<std::uint32_t> Timed(std::span<const std::byte* const> blocks, std::uint64_t loads,
                                   clock::ClockId clock);
  std::vector<std::uint32_t> Timed(const std::byte* base, const Grid& grid, std::uint64_t loads,
                                   clock::ClockId clock);

 private:
  std::uint64_t state_;
};

// Seconds per load of a fixed cycle through the lines of `bytes`, with no other work in the loop.
// Overwrites the memory and leaves zeros.
double CycleTime(std::span<std::byte> bytes, std::uint64_t seed, std::uint64_t loads);

}  // namespace tare::survey
