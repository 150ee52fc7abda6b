// discover_walk.cc: the loops; addresses do not depend on loads, so only loads wait for loads.
#include "machine/survey/discover_walk.h"

#include <algorithm>

#include "base/check.h"
#include "machine/clock/clock_reads.h"
#include "machine/microbenchmark/memory_loop.h"
#include "machine/microbenchmark/ring.h"
#include "machine/survey/timing.h"

namespace tare::survey {
namespace {

// A multiplier of Steele and Vigna 2021, "Computationally easy, spectrally good multipliers".
constexpr std::uint64_t kMultiplier = 0xf1357aea2e62a9c5;

constexpr std::uint64_t kSlots = kBlockBytes / kSlotBytes;

std::uint64_t Load(const std::byte* address) {
  return *reinterpret_cast<const volatile std::uint64_t*>(address);
}

std::uint64_t Drawn(std::uint64_t state, std::uint64_t places) {
  return ((state >> 32) * places) >> 32;
}

std::uint64_t Offset(std::uint64_t place, const Grid& grid) {
  const std::uint64_t slot = (place + (place >> 6) + (place >> 12)) & (grid.slots - 1);
  return place * grid.spacing + slot * kSlotBytes;
}

template <typename Address>
std::vector<std::uint32_t> TimedLoads(std::uint64_t loads, clock::ClockId clock,
                                      std::uint64_t& state, const Address& address_of) {
  constexpr std::uint64_t kMaxTicks = 0xffffffff;
  std::vector<std::uint32_t> ticks(loads);
  clock::WithClock(clock, [&]<typename Clock>(Clock) {
    for (std::uint32_t& one : ticks) {
      state *= kMultiplier;
      const std::byte* const address = address_of(state);
      const std::uint64_t start = Clock::Now();
      // The branch on the loaded value makes the second reading wait for it (Arm ARM, B2.3.2).
      CHECK(Load(address) == 0);
      const std::uint64_t end = Clock::Now();
      one = static_cast<std::uint32_t>(std::min(end - start, kMaxTicks));
    }
  });
  return ticks;
}

}  // namespace

RandomWalk::RandomWalk(std::uint64_t seed) : state_(seed * 2 + 0x9e3779b97f4a7c15) {}

double RandomWalk::Over(const std::byte* base, const Grid& grid, std::uint64_t loads) {
  CHECK(grid.places > 0 && grid.places < (std::uint64_t{1} << 32) && loads > 0);
  std::uint64_t state = state_;
  std::uint64_t loaded = 0;
  const double start = Now();
  for (std::uint64_t i = 0; i < loads; ++i) {
    state *= kMultiplier;
    loaded = Load(base + Offset(Drawn(state, grid.places), grid) + loaded);
  }
  CHECK(loaded == 0);
  const double seconds = Now() - start;
  state_ = state;
  return seconds / static_cast<double>(loads);
}

double RandomWalk::Over(std::span<const std::byte* const> blocks, std::uint64_t loads) {
  CHECK(!blocks.empty() && loads > 0);
  const std::uint64_t places = blocks.size() * kSlots;
  std::uint64_t state = state_;
  std::uint64_t loaded = 0;
  const double start = Now();
  for (std::uint64_t i = 0; i < loads; ++i) {
    state *= kMultiplier;
    const std::uint64_t place = Drawn(state, places);
    loaded = Load(blocks[place / kSlots] + place % kSlots * kSlotBytes + loaded);
  }
  CHECK(loaded == 0);
  const double seconds = Now() - start;
  state_ = state;
  return seconds / static_cast<double>(loads);
}

double RandomWalk::Pairs(const std::byte* base, const Grid& grid, std::uint64_t distance,
                         std::uint64_t pairs) {
  CHECK(distance + sizeof(std::uint64_t) <= grid.spacing && pairs > 0);
  std::uint64_t state = state_;
  std::uint64_t loaded = 0;
  const double start = Now();
  for (std::uint64_t i = 0; i < pairs; ++i) {
    state *= kMultiplier;
    const std::byte* const place = base + Drawn(state, grid.places) * grid.spacing;
    // Downwards, because next-line prefetchers fetch upwards.
    loaded = Load(place + distance + loaded);
    loaded = Load(place + loaded);
  }
  CHECK(loaded == 0);
  const double seconds = Now() - start;
  state_ = state;
  return seconds / static_cast<double>(pairs);
}

std::vector<std::uint32_t> RandomWalk::Timed(std::span<const std::byte* const> blocks,
                                             std::uint64_t loads, clock::ClockId clock) {
  CHECK(!blocks.empty());
  return TimedLoads(loads, clock, state_, [&](std::uint64_t state) {
    const std::uint64_t place = Drawn(state, blocks.size() * kSlots);
    return blocks[place / kSlots] + place % kSlots * kSlotBytes;
  });
}

std::vector<std::uint32_t> RandomWalk::Timed(const std::byte* base, const Grid& grid,
                                             std::uint64_t loads, clock::ClockId clock) {
  CHECK(grid.places > 0);
  return TimedLoads(loads, clock, state_, [&](std::uint64_t state) {
    return base + Offset(Drawn(state, grid.places), grid);
  });
}

double CycleTime(std::span<std::byte> bytes, std::uint64_t seed, std::uint64_t loads) {
  microbenchmark::Ring ring(bytes, kSlotBytes, seed);
  ring.GrowTo(ring.max_places());
  const machine_profile::CurveKey key{machine_profile::Access::kLoad,
                                      machine_profile::Pattern::kChained};
  auto loop = microbenchmark::MemoryLoop::Over(key, bytes, kSlotBytes);
  CHECK(loop.has_value());
  loop->Run(loads);
  double min = 0;
  for (int i = 0; i < 9; ++i) {
    const double start = Now();
    const auto done = static_cast<double>(loop->Run(loads));
    const double seconds = (Now() - start) / done;
    min = i == 0 ? seconds : std::min(min, seconds);
  }
  std::ranges::fill(bytes, std::byte{0});
  return min;
}

}  // namespace tare::survey
