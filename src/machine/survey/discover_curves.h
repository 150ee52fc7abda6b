// discover_curves.h: what random loads cost on growing sets, in interleaved passes.
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

// From `low` to `high`, both included, `per_octave` to each doubling, multiples of `unit`.
std::vector<std::uint64_t> Ladder(std::uint64_t low, std::uint64_t high, double per_octave,
                                  std::uint64_t unit);

// Where all curves are taken, and who is told.
struct Bench {
  RandomWalk& walk;
  stats::Generator& generator;
  const Progress& progress;
  double budget_seconds = 0;  // of the whole discovery
  double done = 0;            // of it, 0 to 1
};

// Takes one sample of every size, then the next of every size, `passes` times over, so that slow
// changes of the machine reach all sizes alike. `share` of the whole discovery is then done; where
// that share of the budget is spent sooner, on a machine that has other work too, no further pass
// begins once there are three.
Result<std::vector<CostSamples>> Sweep(Bench& bench, std::span<const std::uint64_t> sizes,
                                       unsigned passes, double share, std::string_view what,
                                       const std::function<double(std::uint64_t)>& sample);

// Seconds per load on a grid, once everything that can be near is near.
double GridCost(Bench& bench, const std::byte* base, const Grid& grid);

// Blocks of a pool in random order. Whatever their number, those at the front lie in a cache as
// pages do that the system hands out at random, and fewer of them are part of more.
class Placement {
 public:
  explicit Placement(std::span<std::byte> pool);

  void Shuffle(stats::Generator& generator);

  std::span<const std::byte* const> Front(std::uint64_t bytes) const;

 private:
  std::vector<const std::byte*> blocks_;
};

}  // namespace tare::survey
