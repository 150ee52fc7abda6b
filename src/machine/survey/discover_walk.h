// discover_walk.h: loads of random places, each waiting for the one before, in an order that never
// repeats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "machine/clock/clock.h"

namespace tare::survey {

// Smaller than any line or page in use, so that steps of it find them all.
inline constexpr std::uint64_t kSlotBytes = 64;
inline constexpr std::uint64_t kBlockBytes = 4096;

// Place i lies at i * spacing, moved on by one of `slots` slots so that places on many pages spread
// over all sets of a cache. `slots` is a power of two, and slots * kSlotBytes <= spacing unless it
// is 1.
struct Grid {
  std::uint64_t places = 0;
  std::uint64_t spacing = 0;
  std::uint64_t slots = 1;

  std::uint64_t Bytes() const { return places * spacing; }
};

// Every place is drawn evenly and independently of those before. Then, whatever a cache replaces,
// of k lines that share a set with w ways a load finds its own with probability min(1, w / k); and
// no prefetcher that learns sequences has one to learn. All memory walked over must hold zeros:
// what was loaded is added to the next address.
class RandomWalk {
 public:
  explicit RandomWalk(std::uint64_t seed);

  // Seconds per load.
  double Over(const std::byte* base, const Grid& grid, std::uint64_t loads);

  // The same over all slots of blocks of kBlockBytes that may lie anywhere.
  double Over(std::span<const std::byte* const> blocks, std::uint64_t loads);

  // Two loads in each place: `distance` bytes into it, then its first. Seconds per pair.
  double Pairs(const std::byte* base, const Grid& grid, std::uint64_t distance,
               std::uint64_t pairs);

  // Ticks of that clock for each of `loads` loads, reading the clock included. The clock is there
  // and waits for what comes before it.
  std::vector<std::uint32_t> Timed(std::span<const std::byte* const> blocks, std::uint64_t loads,
                                   clock::ClockId clock);
  std::vector<std::uint32_t> Timed(const std::byte* base, const Grid& grid, std::uint64_t loads,
                                   clock::ClockId clock);

 private:
  std::uint64_t state_;
};

// Seconds per load of a fixed cycle through the lines of `bytes`: nothing but the loads is in it.
// Overwrites the memory and leaves zeros.
double CycleTime(std::span<std::byte> bytes, std::uint64_t seed, std::uint64_t loads);

}  // namespace tare::survey
