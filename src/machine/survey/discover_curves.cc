// discover_curves.cc: warming up the set, then timing a few thousand loads.
#include "machine/survey/discover_curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/stop.h"
#include "machine/survey/timing.h"

namespace tare::survey {
namespace {

// Short enough that most timings fall between two interrupts.
constexpr std::uint64_t kTimedLoads = 8000;
constexpr int kTimings = 3;
constexpr unsigned kMinPasses = 3;
// A cache with random replacement has evicted all lines outside of the set after about as many
// passes as it has ways.
constexpr std::uint64_t kWarmRounds = 10;
constexpr std::uint64_t kMaxWarmLoads = 400'000;

std::uint64_t WarmLoads(std::uint64_t places) {
  return std::clamp<std::uint64_t>(places * kWarmRounds, 1000, kMaxWarmLoads);
}

template <typename Cost>
double MiddleOf(const Cost& cost) {
  std::array<double, kTimings> seconds;
  for (double& one : seconds) one = cost();
  std::ranges::sort(seconds);
  return seconds[kTimings / 2];
}

}  // namespace

std::vector<std::uint64_t> Ladder(std::uint64_t low, std::uint64_t high, double per_octave,
                                  std::uint64_t unit) {
  CHECK(low > 0 && unit > 0 && per_octave > 0);
  std::vector<std::uint64_t> sizes;
  for (int i = 0;; ++i) {
    const double size = static_cast<double>(low) * std::exp2(i / per_octave);
    const std::uint64_t whole =
        std::max<std::uint64_t>(
            1, static_cast<std::uint64_t>(std::llround(size / static_cast<double>(unit)))) *
        unit;
    if (whole > high) return sizes;
    if (sizes.empty() || sizes.back() != whole) sizes.push_back(whole);
  }
}

Result<std::vector<CostSamples>> Sweep(Bench& bench, std::span<const std::uint64_t> sizes,
                                       unsigned passes, double share, std::string_view what,
                                       const std::function<double(std::uint64_t)>& sample) {
  std::vector<CostSamples> points;
  for (const std::uint64_t size : sizes) points.push_back({static_cast<double>(size)});
  const double step = share / static_cast<double>(std::max<std::size_t>(1, sizes.size() * passes));
  const double end = bench.done + share;
  const double start = Now();
  for (unsigned pass = 0; pass < passes; ++pass) {
    if (pass >= kMinPasses && Now() - start > share * bench.budget_seconds) break;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (!bench.progress(std::min(1.0, bench.done), what)) return Stopped();
      points[i].seconds.push_back(sample(sizes[i]));
      bench.done += step;
    }
  }
  bench.done = end;
  return points;
}

double GridCost(Bench& bench, const std::byte* base, const Grid& grid) {
  bench.walk.Over(base, grid, WarmLoads(grid.places));
  return MiddleOf([&] { return bench.walk.Over(base, grid, kTimedLoads); });
}

Placement::Placement(std::span<std::byte> pool) {
  for (std::uint64_t at = 0; at + kBlockBytes <= pool.size(); at += kBlockBytes)
    blocks_.push_back(pool.data() + at);
}

void Placement::Shuffle(stats::Generator& generator) {
  for (std::size_t i = blocks_.size(); i > 1; --i)
    std::swap(blocks_[i - 1], blocks_[generator.Below(i)]);
}

std::span<const std::byte* const> Placement::Front(std::uint64_t bytes) const {
  CHECK(bytes / kBlockBytes <= blocks_.size());
  return std::span(blocks_).first(bytes / kBlockBytes);
}

}  // namespace tare::survey
