// discover_curves.h: the cost of random loads on growing sets, measured in interleaved passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "machine/survey/capacity_fit.h"
#include "machine/survey/discover_walk.h"

namespace tare::survey {

// Sizes from `low` to `high` inclusive, `per_octave` per doubling, multiples of `unit`.
std::vector<std::uint64_t> Ladder(std::uint64_t low, std::uint64_t high, double per_octave,
                                  std::uint64_t unit);

// The common context of all measurements.
struct Bench {
  RandomWalk& walk;
  stats::Generator& generator;
  const Progress& progress;
  double budget_seconds = 0;  // of the whole discovery
  double done = 0;            // completed share of it, 0 to 1
};

// Takes one sample of every size, then the next of every size, `passes` times, so that slow changes
// of the machine affect all sizes alike. `share` is this sweep's share of the whole discovery. When
// that share of the budget is used up early, as on a busy machine, no further pass starts after the
// third.
Result<std::vector<CostSamples>> Sweep(Bench& bench, std::span<const std::uint64_t> sizes,
                                       unsigned passes, double share, std::string_view what,
                                       const std::function<double(std::uint64_t)>& sample);

// Seconds per load on a grid after warming up the caches.
double GridCost(Bench& bench, const std::byte* base, const Grid& grid);

// Blocks of a pool in random order. The first blocks, whatever their number, are placed in a cache
// like pages that the system allocates at random, and smaller sets are subsets of larger ones.
class Placement {
 public:
  explicit Placement(std::span<std::byte> pool);

  void Shuffle(stats::Generator& generator);

  std::span<const std::byte* const> Front(std::uint64_t bytes) const;

 private:
  std::vector<const std::byte*> blocks_;
};

}  // namespace tare::survey
